// usage: spec_reference SOURCE_FOLDER     writes docs/reference/{job,config}.md and deploy/systemd/traind.yaml
#include <cstdio>
#include <fstream>
#include <string>

#include "common/spec/explain.h"
#include "common/spec/templates.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: spec_reference SOURCE_FOLDER\n", stderr);
    return 2;
  }
  const std::string root = argv[1];
  std::ofstream(root + "/docs/reference/job.md") << traind::spec::JobReference();
  std::ofstream(root + "/docs/reference/config.md") << traind::spec::ConfigReference();
  std::ofstream(root + "/deploy/systemd/traind.yaml") << traind::spec::ConfigTemplate();
  return 0;
}
