// YAML nodes into the fields of a message, by reflection. Internal to common/spec: readers of files, --set and JSON share it.
#pragma once

#include <string>
#include <vector>

#include "common/spec/origins.h"
#include "google/protobuf/message.h"
#include "yaml-cpp/yaml.h"

namespace traind::spec {

// Errors past this number are not collected: a file that is wrong throughout is not read to its end.
inline constexpr size_t kMaxErrors = 100;
inline constexpr int kUnknownLine = -1;

// Reads parts of one document. Keeps on after an error, so that all come at once; a value with an error is left unset.
// Neither throws nor keeps references into the nodes. Thread-compatible.
class NodeReader {
 public:
  enum class Lines { kKnown, kUnknown };   // whether an origin is "source:12" or "source"
  enum class QuotedNumbers { kNo, kYes };  // whether "0.1" in quotes is a number: optimisers write such JSON

  // `root` is the message in which paths start; it helps to find what a misplaced key may have meant. All are borrowed.
  NodeReader(std::string source, Lines lines, QuotedNumbers quoted_numbers, const google::protobuf::Descriptor& root, Origins& origins,
             std::vector<FieldError>& errors);

  // Each key of the map `node` as a field of `message`, which stands at `path`.
  void ReadBlock(const YAML::Node& node, const std::string& path, google::protobuf::Message& message);

  // `node` as the value of one field. Lists are replaced, maps and blocks are merged into. `line` counts from 0, kUnknownLine without one.
  void ReadField(const YAML::Node& node, const std::string& path, int line, const google::protobuf::FieldDescriptor& field,
                 google::protobuf::Message& message);

  // One entry of a map field.
  void ReadMapEntry(const YAML::Node& node, const std::string& key, const std::string& path, int line,
                    const google::protobuf::FieldDescriptor& field, google::protobuf::Message& message);

  // False, with an error, if `field` is another task than the one that is set.
  bool CheckTask(const google::protobuf::FieldDescriptor& field, const std::string& path, int line,
                 const google::protobuf::Message& message);

  void AddError(const std::string& path, int line, const std::string& message);
  void AddUnknown(const std::string& name, const std::string& path, int line, const google::protobuf::Descriptor& message);

 private:
  void ReadKey(const YAML::Node& key, const YAML::Node& value, const std::string& path, std::vector<std::string>& seen,
               google::protobuf::Message& message);
  void ReadMap(const YAML::Node& node, const std::string& path, int line, const google::protobuf::FieldDescriptor& field,
               google::protobuf::Message& message);
  void ReadList(const YAML::Node& node, const std::string& path, int line, const google::protobuf::FieldDescriptor& field,
                google::protobuf::Message& message);
  // Checks and stores; false with an error if it is not a value of the field's type.
  bool ReadScalar(const YAML::Node& node, const std::string& path, int line, const google::protobuf::FieldDescriptor& field,
                  google::protobuf::Message& message);
  // False, with an error, once too many values were visited (aliases make a short text long) or too many errors found.
  bool Visit();
  void Record(const std::string& path, int line);
  std::string Where(int line) const;

  const std::string source_;
  const Lines lines_;
  const QuotedNumbers quoted_numbers_;
  const google::protobuf::Descriptor& root_;
  Origins& origins_;
  std::vector<FieldError>& errors_;
  int visited_ = 0;
};

}  // namespace traind::spec
