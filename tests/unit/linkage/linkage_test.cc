// One process holds gRPC, protobuf, LibTorch and Arrow, and each works after the others have run.
#include <arrow/api.h>
#include <arrow/csv/api.h>
#include <arrow/io/api.h>
#include <grpcpp/grpcpp.h>

#include "gtest/gtest.h"
#include "tests/unit/linkage/matmul.h"
#include "traind/v1/cluster.grpc.pb.h"

namespace traind {
namespace {

class Service final : public v1::ClusterService::Service {
  grpc::Status GetCluster(grpc::ServerContext*, const v1::GetClusterRequest*, v1::Cluster* cluster) override {
    cluster->set_slots(static_cast<int>(linkage::MatmulSum(8)));
    return grpc::Status::OK;
  }
};

TEST(Linkage, GrpcTorchAndArrowWorkInOneProcess) {
  Service service;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  auto stub = v1::ClusterService::NewStub(server->InProcessChannel({}));
  grpc::ClientContext context;
  v1::Cluster cluster;
  ASSERT_TRUE(stub->GetCluster(&context, {}, &cluster).ok());
  EXPECT_EQ(cluster.slots(), 512);

  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString("a,b\n1,2.5\n3,4.5\n"));
  auto reader = arrow::csv::TableReader::Make(arrow::io::default_io_context(), input, arrow::csv::ReadOptions::Defaults(),
                                              arrow::csv::ParseOptions::Defaults(), arrow::csv::ConvertOptions::Defaults());
  ASSERT_TRUE(reader.ok());
  const auto table = (*reader)->Read();
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->num_rows(), 2);
  EXPECT_EQ(linkage::MatmulSum(2), 8);
}

}  // namespace
}  // namespace traind
