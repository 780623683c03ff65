#include "client/trainctl/completion.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/trainctl/session.h"

namespace traind::client::trainctl {
namespace {

// One place of the command line: the verbs that lead to it, and what may come next.
struct Place {
  std::string path;                // "artifact get"
  std::vector<std::string> verbs;  // with their help, in the same order
  std::vector<std::string> helps;
  std::vector<std::string> flags;
  bool takes_job = false;
};

void Collect(const CLI::App& app, const std::string& path, std::vector<Place>& places) {
  Place place;
  place.path = path;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    place.verbs.push_back(verb->get_name());
    place.helps.push_back(verb->get_description());
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) place.takes_job = place.takes_job || option->get_name(true) == kJobArgument;
    for (const std::string& name : option->get_lnames()) place.flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) place.flags.push_back("-" + name);
  }
  places.push_back(place);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    Collect(*verb, absl::StrCat(path, path.empty() ? "" : " ", verb->get_name()), places);
  }
}

// bash and zsh share the function: zsh runs it through bashcompinit.
std::string BashFunction(const std::vector<Place>& places) {
  std::string script =
      "_trainctl() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} path= word i words=\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$path $word\" in\n";
  for (const Place& place : places) {
    for (const std::string& verb : place.verbs) {
      const std::string path = absl::StrCat(place.path, place.path.empty() ? "" : " ", verb);
      absl::StrAppend(&script, "      \"", place.path, " ", verb, "\") path=\"", path, "\" ;;\n");
    }
  }
  absl::StrAppend(&script, "    esac\n  done\n  case \"$path\" in\n");
  for (const Place& place : places) {
    absl::StrAppend(&script, "    \"", place.path, "\") words=\"", absl::StrJoin(place.verbs, " "), place.verbs.empty() ? "" : " ",
                    absl::StrJoin(place.flags, " "), "\"",
                    place.takes_job ? "; [[ $cur == -* ]] || words=$(trainctl get jobs -o name 2>/dev/null)" : "", " ;;\n");
  }
  absl::StrAppend(&script,
                  "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "
                  "\"$cur\"))\n}\n");
  return absl::StrCat(script, "complete -F _trainctl trainctl\n");
}

std::string FishScript(const std::vector<Place>& places) {
  std::string script;
  for (const Place& place : places) {
    // fish knows which words have been seen; a place is where its last verb has been.
    const size_t space = place.path.rfind(' ');
    const std::string last = space == std::string::npos ? place.path : place.path.substr(space + 1);
    const std::string condition = place.path.empty() ? "__fish_use_subcommand" : absl::StrCat("__fish_seen_subcommand_from ", last);
    for (size_t i = 0; i < place.verbs.size(); ++i) {
      absl::StrAppend(&script, "complete -c trainctl -n '", condition, "' -f -a ", place.verbs[i], " -d '",
                      absl::StrReplaceAll(place.helps[i], {{"'", "\\'"}}), "'\n");
    }
    for (const std::string& flag : place.flags) {
      const bool is_long = flag.size() > 2;
      absl::StrAppend(&script, "complete -c trainctl -n '", condition, "' ", is_long ? "-l " : "-s ", flag.substr(is_long ? 2 : 1), "\n");
    }
    if (place.takes_job)
      absl::StrAppend(&script, "complete -c trainctl -n '", condition, "' -f -a '(trainctl get jobs -o name 2>/dev/null)'\n");
  }
  return script;
}

}  // namespace

std::string CompletionScript(const CLI::App& app, const std::string& shell) {
  std::vector<Place> places;
  Collect(app, "", places);
  if (shell == "bash") return BashFunction(places);
  if (shell == "zsh") return absl::StrCat("#compdef trainctl\nautoload -U +X bashcompinit && bashcompinit\n", BashFunction(places));
  if (shell == "fish") return FishScript(places);
  return "";
}

}  // namespace traind::client::trainctl
