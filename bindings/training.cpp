// The Python module _training: training runs. It belongs to the torch that it was built with; the
// modules exchange plain values, no classes.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/work/file_lock.h"
#include "bindings/count_calls.h"
#include "bindings/gil.h"
#include "bindings/pickles.h"
#include "bindings/plain_values.h"
#include "bindings/signatures.h"
#include "bindings/unmade.h"
#include "training/config/config.h"
#include "training/config/programs.h"
#include "training/run/checkpoint.h"
#include "training/run/first_weights.h"
#include "training/run/named_things.h"
#include "training/run/trainer.h"
#include "training/work/peers.h"

namespace schafkopf::python {
namespace {

namespace py = pybind11;

py::dict progress_to_dict(const TrainProgress& p) {
  py::dict row;
  row["updates"] = p.updates;
  row["decisions"] = p.decisions;
  row["games"] = p.games;
  row["seconds"] = p.seconds;
  row["share_done"] = p.share_done;
  row["seconds_left"] = p.seconds_left;
  row["decisions_per_second"] = p.decisions_per_second;
  row["games_per_second"] = p.games_per_second;
  row["entropy"] = p.entropy;
  row["kl"] = p.kl;
  row["explained_variance"] = p.explained_variance;
  row["env_share"] = p.env_share;
  row["declared"] = p.declared;
  row["eval_mean"] = p.evaluated ? py::object(py::float_(p.eval_mean)) : py::object(py::none());
  row["eval_half_width"] =
      p.evaluated ? py::object(py::float_(p.eval_half_width)) : py::object(py::none());
  return row;
}

py::dict result_to_dict(const TrainResult& r) {
  py::dict row;
  row["run_dir"] = r.run_dir;
  row["model_path"] = r.model_path;
  row["best_path"] = r.best_path;
  row["ten_percent_path"] = r.ten_percent_path;
  row["rules"] = r.rules;
  row["updates"] = r.updates;
  row["decisions"] = r.decisions;
  row["unforced_decisions"] = r.unforced_decisions;
  row["games"] = r.games;
  row["seconds"] = r.seconds;
  row["workers"] = r.workers;
  row["env_share"] = r.env_share;
  row["act_share"] = r.act_share;
  row["update_share"] = r.update_share;
  row["decisions_per_second_per_core"] = r.decisions_per_second_per_core;
  row["interrupted"] = r.interrupted;
  row["stopped"] = r.stopped;
  row["was_finished"] = r.was_finished;
  row["higher_limits"] = r.higher_limits;
  row["notes"] = r.notes;
  return row;
}

TrainConfig config_of(const std::string& config, const std::vector<std::string>& settings,
                      const PlainTable& keywords, const std::string& resume_dir,
                      Peers* peers = nullptr) {
  TrainConfig result;
  std::vector<std::string> said = settings;
  for (const auto& [key, value] : keywords) said.push_back(key);
  if (!resume_dir.empty()) {
    result = resume_config(resume_dir, peers);
    refuse_programs(result, resume_dir, said);
  } else if (!config.empty()) {
    result = load_train_config(config);
    refuse_paths_elsewhere(result, config, said);
  }
  set_train_config(result, settings, keywords);
  return result;
}

/// Ctrl-C, seen by the callback or before it, ends the run after the update instead of losing it;
/// so does the end of the interpreter, where that leaves time.
void report(const py::object& callback, const TrainProgress& progress, std::atomic<bool>& stop) {
  if (interpreter_ends()) {
    stop = true;
    return;
  }
  const GilHeld held;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (callback.is_none()) return;
    call_python(callback, progress_to_dict(progress));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    stop = true;
  }
}

/// FolderLock as a context manager.
class HeldFolder {
 public:
  explicit HeldFolder(std::string folder) : folder_(std::move(folder)) {}
  HeldFolder& enter() {
    lock_.emplace(folder_);
    return *this;
  }
  void exit() { lock_.reset(); }
  [[nodiscard]] const FolderLock* lock() const { return lock_ ? &*lock_ : nullptr; }

 private:
  std::string folder_;
  std::optional<FolderLock> lock_;
};

void register_folder_lock(py::module_& module) {
  py::class_<HeldFolder>(module, "FolderLock", R"(Hold a folder of a run, for a with statement.

Makes the folder where there is none, and takes it away again if nothing stands in it at the end.
Raises: ValueError: another run is at work in it, with its process.  RuntimeError: disk.)")
      .def(py::init<std::string>(), py::arg("folder"))
      .def("__enter__", &HeldFolder::enter, py::return_value_policy::reference_internal)
      .def("__exit__", [](HeldFolder& self, const py::args&) { self.exit(); });
}

void register_peers(py::module_& module) {
  py::class_<Peers>(module, "Peers", R"(The processes that train together, as torchrun starts them.

Reads RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT from the environment and waits until all
processes have come; without them it is this process alone.
Raises: ValueError: a variable is missing or does not fit.  RuntimeError: the others do not come.)")
      .def(py::init([] { return std::make_unique<Peers>(peers_place()); }),
           py::call_guard<GilReleased>())
      .def_property_readonly("rank", &Peers::rank, "Number of this process; 0 writes and speaks.")
      .def_property_readonly("size", &Peers::size, "How many processes there are.");
}

void call_note(const py::object& callback, const std::string& note) {
  if (callback.is_none() || interpreter_ends()) return;
  const GilHeld held;
  call_python(callback, py::str(note));
}

py::dict train_python(const std::string& config, const std::vector<std::string>& settings,
                      const py::dict& keywords, const std::string& out_dir,
                      const std::string& resume_dir, const py::object& progress,
                      const HeldFolder* lock, const py::object& note, Peers* peers) {
  TrainConfig chosen;
  const PlainValue values = plain_value_from(keywords);
  {
    const GilReleased release;  // it may wait for the other processes
    chosen = config_of(config, settings, std::get<PlainTable>(values), resume_dir, peers);
  }
  std::atomic<bool> stop = false;
  TrainOptions options;
  options.out_dir = out_dir;
  options.resume_dir = resume_dir;
  options.progress = [&](const TrainProgress& state) { report(progress, state, stop); };
  options.stop = &stop;
  options.lock = lock == nullptr ? nullptr : lock->lock();
  options.note = [&](const std::string& text) { call_note(note, text); };
  options.peers = peers;
  TrainResult result;
  {
    const GilReleased release;
    result = train(chosen, options);
  }
  return result_to_dict(result);
}

// There is no stable ABI between releases of torch: the one that is imported must be the one whose
// headers were compiled.
void check_torch(py::module_& module) {
  const auto found = py::module_::import("torch").attr("__version__").cast<std::string>();
  const std::string built = SCHAFKOPF_TORCH_VERSION;
  module.attr("TORCH_VERSION") = built;
  if (found == built) return;
  throw py::import_error(
      "schafkopf._training was built with torch " + built + ", but torch " + found +
      " is installed: build it again, with ./run build or as python/docs/packages.md says");
}

}  // namespace

PYBIND11_MODULE(_training, module) {
  module.doc() = "Trainers of schafkopf on LibTorch.";
  check_torch(module);
  register_folder_lock(module);
  register_peers(module);
  module.def("train", &train_python, py::arg("config") = "", py::arg("settings") = py::list(),
             py::arg("keywords") = py::dict(), py::arg("out_dir") = "", py::arg("resume_dir") = "",
             py::arg("progress") = py::none(), py::arg("lock") = py::none(),
             py::arg("note") = py::none(), py::arg("peers") = py::none(),
             R"(Run a training and return what it did.

Args:    config: path of a TOML file, "" = the defaults.  settings: "key=value", on top of it;
         messages call them --set.  keywords: keys with values, on top of both.
         out_dir: folder of the run, which must not hold one yet; or resume_dir: folder of a run to
         go on with.  progress: called with a dict after each update.  lock: FolderLock of the
         folder, if the caller holds it already.  note: called with a sentence about what was found
         damaged; they also stand in the result.  peers: Peers, if several processes train
         together: all call this with the same config and settings, and only rank 0 needs a folder.
Raises:  ValueError: unknown key, value not allowed, a folder or checkpoint that does not fit, or a
         folder in which another run is at work.
         RuntimeError: device or disk, another process is lost, or training has diverged.
Ctrl-C ends the run after the current update with a checkpoint; the result says `interrupted`, and
`stopped` where that was its last update as well.)");
  module.def(
      "config_toml",
      [](const std::string& config, const std::vector<std::string>& settings) {
        return to_toml(config_of(config, settings, {}, ""));
      },
      py::arg("config") = "", py::arg("settings") = py::list(),
      "Complete configuration file with comments.");
  module.def(
      "check_stages",
      [](const std::vector<std::string>& stages, const std::vector<std::string>& settings,
         const std::string& before) {
        std::optional<TrainConfig> last;
        if (!before.empty()) last = config_of(before, settings, {}, "");
        for (const std::string& stage : stages) {
          const TrainConfig config = config_of(stage, settings, {}, "");
          try {
            const GilReleased released;
            if (last) check_follows(*last, config);
            check_named_things(config);
          } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(at(stage, error.what()));
          }
          last = config;
        }
      },
      py::arg("stages"), py::arg("settings") = py::list(), py::arg("before") = "",
      R"(Look at what the files of runs in a row name, players apart, which may come with a run before,
and whether each can begin with the weights of the one before; `before` is what the first comes after.

Raises:  ValueError: "STAGE.toml: ..." for rules, generators and recorded games that are not there,
damaged or wrong, and for another network.)");
  module.def("export_player", &export_player, py::arg("run_dir"), py::arg("file"),
             R"(Write the best weights of a run, or its last ones, as a player for net:FILE.

Args:    run_dir: folder of the run.  file: weights file to write, half precision, no critic.
Returns: the file that was read.
Raises:  ValueError: no run there, or its weights are damaged.  RuntimeError: disk.)");
  module.def(
      "config_fields", [] { return rows_to_python(train_config_fields()); },
      "Keys of a configuration with their meaning.");
  pickle_by_all_protocols(module);
  refuse_unmade(module);
  give_signatures(module);
  count_calls(module);
}

}  // namespace schafkopf::python
