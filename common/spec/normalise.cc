#include "common/spec/normalise.h"

#include <openssl/evp.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "common/spec/field_meta.h"
#include "common/spec/node_reader.h"
#include "common/spec/yaml_text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool IsSet(const Message& message, const FieldDescriptor& field) {
  return field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) > 0 : message.GetReflection()->HasField(message, &field);
}

// The schema's defaults are YAML, read as a user's value would be.
void SetDefault(const FieldDescriptor& field, Message& message) {
  Origins origins;
  std::vector<FieldError> errors;
  const absl::StatusOr<YAML::Node> value = ParseYamlText(MetaOf(field).default_value());
  if (!value.ok()) return;
  NodeReader reader("default", NodeReader::Lines::kUnknown, NodeReader::QuotedNumbers::kNo, *message.GetDescriptor(), origins, errors);
  reader.ReadField(*value, field.name(), -1, field, message);
}

}  // namespace

void FillDefaults(Message& message) {
  const auto* descriptor = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (IsBlock(field)) {
      if (IsSet(message, field)) FillDefaults(*reflection->MutableMessage(&message, &field));
    } else if (IsBlockList(field)) {
      for (int e = 0; e < reflection->FieldSize(message, &field); ++e)
        FillDefaults(*reflection->MutableRepeatedMessage(&message, &field, e));
    } else if (!IsSet(message, field) && MetaOf(field).has_default_value()) {
      SetDefault(field, message);
    }
  }
}

v1::JobSpec NormaliseJob(const v1::JobSpec& spec) {
  v1::JobSpec full = spec;
  FillDefaults(full);
  if (full.env() == "market") {
    full.mutable_market();
    full.mutable_data()->mutable_policy();
    full.mutable_walk_forward();
  } else if (full.env() == "synthetic") {
    full.mutable_synthetic();
  }
  full.mutable_resources();
  full.mutable_checkpoint();
  full.mutable_retry();
  full.mutable_limits();
  FillDefaults(full);
  return full;
}

config::v1::DaemonConfig NormaliseConfig(const config::v1::DaemonConfig& config) {
  config::v1::DaemonConfig full = config;
  full.mutable_slots();
  full.mutable_http();
  full.mutable_access();
  full.mutable_retention();
  full.mutable_workers();
  full.mutable_logs();
  full.mutable_limits();
  FillDefaults(full);
  return full;
}

std::string DeterministicBytes(const Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string SpecHash(const Message& message) {
  const std::string bytes = DeterministicBytes(message);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace traind::spec
