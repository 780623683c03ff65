// Services that the API names and this version does not have: every method answers UNIMPLEMENTED, with a sentence.
#pragma once

#include "server/api/unary.h"
#include "traind/v1/endpoint.grpc.pb.h"
#include "traind/v1/sweep.grpc.pb.h"

namespace traind::server::api {

class SweepService final : public v1::SweepService::CallbackService {
 public:
  grpc::ServerUnaryReactor* CreateSweep(grpc::CallbackServerContext* context, const v1::CreateSweepRequest*, v1::Sweep*) override {
    return AnswerUnimplemented(context, "CreateSweep");
  }
  grpc::ServerUnaryReactor* GetSweep(grpc::CallbackServerContext* context, const v1::GetSweepRequest*, v1::Sweep*) override {
    return AnswerUnimplemented(context, "GetSweep");
  }
  grpc::ServerUnaryReactor* ListSweeps(grpc::CallbackServerContext* context, const v1::ListSweepsRequest*,
                                       v1::ListSweepsResponse*) override {
    return AnswerUnimplemented(context, "ListSweeps");
  }
  grpc::ServerUnaryReactor* StopSweep(grpc::CallbackServerContext* context, const v1::StopSweepRequest*, v1::Sweep*) override {
    return AnswerUnimplemented(context, "StopSweep");
  }
};

class EndpointService final : public v1::EndpointService::CallbackService {
 public:
  grpc::ServerUnaryReactor* ListEndpoints(grpc::CallbackServerContext* context, const v1::ListEndpointsRequest*,
                                          v1::ListEndpointsResponse*) override {
    return AnswerUnimplemented(context, "ListEndpoints");
  }
  grpc::ServerUnaryReactor* GetEndpoint(grpc::CallbackServerContext* context, const v1::GetEndpointRequest*, v1::Endpoint*) override {
    return AnswerUnimplemented(context, "GetEndpoint");
  }
  grpc::ServerUnaryReactor* SetMembers(grpc::CallbackServerContext* context, const v1::SetMembersRequest*, v1::Endpoint*) override {
    return AnswerUnimplemented(context, "SetMembers");
  }
};

}  // namespace traind::server::api
