"""Why lines of env and agents never run in the tests: reason -> file -> parts of these lines.

A part of several lines ends with the line that it is for; how they are indented does not count.
"""

LEFT: dict[str, dict[str, tuple[str, ...]]] = {
    "Says that this program has a mistake: no input leads there": {
        "agents/maxims/contract_generators.cpp": (
            "return duty;\n}\nreturn std::nullopt;",  # nobody has the Muss card
        ),
        "agents/worlds/worlds.cpp": ("return cards.splits.back();",),
        "env/base/assert.cpp": (
            "void assertion_failed",
            "throw std::logic_error(std::string(file)",
            "assertion failed",
        ),
        "env/game/auction.cpp": (
            "}\nreturn Next::answer();",
            "default:",
            "default:\nreturn {};",
        ),
        "env/game/game_bytes.cpp": ("broken(",),
        "env/game/opening.cpp": ("}\nreturn hand;",),
        "env/view/encoder_forms.cpp": ("}\nreturn {};",),
        "env/view/rule_features.cpp": (
            "throw std::logic_error(",
            "kFurtherSwitches (env/rules/rule_fields.h)",
            "(env/rules/rule_fields.h, env/view/rule_features.cpp)",
            "refuse(",
            "has no place in the rows",
            "numbers, its place",
        ),
    },
    "Only Python calls it, and only tests of Python reach it": {
        "agents/tournament/calibration.cpp": ("",),  # all of it
        "agents/tournament/calibration_fields.h": ("",),
        # tests/python: test_exploit, test_tournament_results, test_security, test_nonsense_players
        "agents/exploit/endgames.cpp": (
            "if (tries == kMostTries) {\nthrow std::invalid_argument(",
            "none pays different",
            "kMostTries, kind.name()));",
        ),
        "agents/tournament/outside_report.cpp": (
            ".by_the_clock = true",
            "thinks for a time",
            'its games do not come again\\n", names[i]);\ncontinue;',
        ),
        "agents/tournament/tournament_config.cpp": (
            "void refuse_paths_elsewhere(",
            "config.file.empty()",
            '{"contract_list", config.contract_list},',
            '{"generator", config.generator, true},',
            '{"card_player", config.card_player, true}};',
            "for (const TournamentAgent& agent : config.agents) named",
            "refuse_paths_elsewhere(config.file, named, settings);",
            "refuse_paths_elsewhere(config.file, named, settings);\n}",
        ),
        "agents/tournament/tournament_plan.cpp": (
            "{} pairings, allowed",
            "plan.pairings.size(), kMostPairings));",
        ),
        "agents/work/journal.cpp": ("cannot read the games: no regular file",),
        "agents/work/watched_work.cpp": (
            "catch (...) {  // of `progress`",
            "stop_ = true;\nthrow;",
            "stop_ = true;\nthrow;\n}",
        ),
        "env/base/nearest.cpp": ("nearest_hint(",),
        "env/price/settle_text.cpp": (  # test_table_words.py, test_pictures.py
            "tricks are handed to the left",
            "pays too (ramsch_payers = 2)",
            "if (pays(seat)) return seat;",
        ),
        "env/vector/vector_env.cpp": (  # test_vector_env_corners.py
            "VectorEnv::is_fresh()",
        ),
        "env/vector/option_checks.cpp": (
            "for (const SpecialRound mode : rules->rules().special_round_triggers) {",
            "special_round_triggers of",
        ),
        "env/base/slice_pool.cpp": (  # forks in a step: batch/test_vector_env_armour.py
            "errors_.assign(errors_.size(), nullptr);",
            "if (own) std::rethrow_exception(own);",
            "this process was forked",
        ),
        "env/cards/card_map.cpp": (
            "ActionMask from_canonical(",
            "ActionMask from_canonical(const ActionMask& mask, int map) {\n"
            "const std::uint64_t others",
            "others | from_canonical(",
        ),
        "env/rules/rules_toml.cpp": (
            "preset_title",
            "preset_text(name)",
            "text.substr(0, text.find",
            "text.remove_prefix",
            "return std::string(text);",
        ),
        "env/session/session.cpp": (
            "void Session::start_special_round",
            'require_running("no round can start")',
            "schafkopf::start_special_round(",
            "schafkopf::start_special_round(state_, rules_->rules(), mode);\n}",
        ),
    },
    "Only training calls it, whose tests are not counted here": {
        "env/vector/vector_env.cpp": ("VectorEnv::rule_table()",),
    },
    "An error of the operating system, or no memory: what tests/faults puts in, or nothing does": {
        "agents/work/file_lock.cpp": (
            'if (errno != EINTR) fail_io(path, "lock");',
            "} catch (...) {",
            'fail_io(path_, "hold");',
            "::unlink(path_.c_str());  // of a folder that was made for it",
            "that was made for it\n::close(std::exchange(file_, -1));",
            "throw;",
            "throw;\n}",
        ),
        "agents/work/journal.cpp": (
            'fail_io(path, "write the games")',
            "sync_folder(path_);\n} catch (...) {",
            "::unlink(path_.c_str());",
            "throw;",
            "throw;\n}",
        ),
        "agents/network/weights.cpp": (
            'fail_io(path, "read the weights file", errno)',
            "throw std::runtime_error(\nfmt::format",
            "} catch (const std::bad_alloc&) {\nthrow std::runtime_error(",
            "bytes of weights do not fit into memory",
            'bytes of weights do not fit into memory", path, source.size));\n}',
        ),
    },
    "Another processor, or SCHAFKOPF_KERNEL, which tests of Python set": {
        "env/base/instruction_set.cpp": (
            'return named("SCHAFKOPF_KERNEL", name);',
            "? InstructionSet::kAvx2 : InstructionSet::kScalar;",
            '": this processor lacks its instructions; allowed: " + names(is_supported));',
        ),
    },
    "The compiler writes it: copies, comparisons and destructors of a type": {
        "agents/work/named_files.h": ("struct NamedFiles {",),
        "agents/maxims/contract_generators.h": (
            "class HeuristicGenerator final",
            "class MixedGenerator final",
        ),
        "agents/maxims/rule_agent.h": ("class RuleAgent final",),
        "agents/network/network.h": ("class InputGather {",),
        "agents/registry.cpp": (
            "struct AnyEndgameOptions {",
            "struct NetOptions {",
            "struct SearchingNetOptions {",
            "struct NetEndgameOptions {",
            "struct RuleEndgameOptions {",
        ),
        "agents/search/bid_search.h": ("class BidSearch {",),
        "agents/solver/solver.cpp": ("Solver::Solver(Solver&&)", "Solver::operator=(Solver&&)"),
        "env/base/plain_value.h": (
            "std::string text;",
            "friend bool operator==(const StrangeValue",
        ),
    },
    "Ran, as its effect in the tests shows: the optimising compiler counts it with another line": {
        "agents/maxims/lead_maxims.cpp": (
            "return kDefenders;",
            "return kAgainstFewTrumps;",
        ),
        "agents/search/card_search.cpp": ("!(forgets && view.trick_number() > 1);",),
        "agents/work/named_files.cpp": ('find_last_not_of(" \\t") + 1) == key;\n});',),
        "agents/worlds/worlds.cpp": (
            "std::uint64_t WorldSampler::known_ways(",
            "SCHAFKOPF_ASSERT(ways != kUnknown);\nreturn ways;",
        ),
        "agents/tournament/ratings.cpp": ("value *= (forward ? 1.0 : -1.0)",),
        "agents/worlds/world_facts.cpp": ("row_->parties != Parties::kHochzeit;",),
        "env/base/plain_value.cpp": ('fmt::format("\\\\u{:04X}", code)',),
        "env/game/auction.cpp": ("return rules.duty_calls(hand, MussBlocked::kTenCascade);",),
        "env/record/display.cpp": ('" | dealer {}"',),
        "env/rules/hand_order.cpp": (
            "for (int i = 0; i < row.num_trump_ranks; ++i)",
            "if (row.trump_ranks[static_cast<std::size_t>(i)] == rank) return true;",
        ),
        "env/session/round_queue.cpp": (
            "int RoundQueue::num_bocks() const {",
            "std::ranges::count_if(bock_left",
        ),
    },
    "Inline in a header: tests call it, and they are compiled without counters": {
        "agents/basic/greedy_agent.h": ("std::string name() const override",),
        "env/base/interruption.h": (
            "return (InterruptionClock::now() + later).time_since_epoch().count();",
            "EndedElsewhere() :",
            "throw EndedElsewhere();",
            "< interruption.next) return;",
            "interruption.next = detail::ticks(Interruptible::kEvery);",
            "interruption.ask();",
        ),
        "env/base/start_thread.h": (
            "catch (const std::system_error& error) {",
            "const std::string which",
            "cannot start thread",
        ),
        "agents/work/parallel_policy.h": (
            "bool sees_hidden_hands() const override",
            "bool stops_by_the_clock() const override",
            "return players_[0]->stops_by_the_clock();",
            "std::string name() const override",
        ),
        "agents/work/watched_work.h": ("bool stops_by_the_clock() const override",),
    },
    "An interface asks for it, and nobody calls it on this type": {
        "agents/work/watched_work.cpp": (
            "WatchedPolicy::clone() const {",
            "std::make_unique<WatchedPolicy>(",
        ),
    },
    "A second line of defence: those who ask have refused or answered such input before": {
        "agents/maxims/bidding.cpp": (
            "}\nreturn std::nullopt;",
            "return view.has_contract() ? contract_row(",
            ": calling_row();",
        ),
        "agents/maxims/doubling.cpp": ("return first_legal(a.mask, {kActionNoDouble});",),
        "agents/maxims/exchange.cpp": ("if (!mask.contains(kActionPushOn))",),
        "agents/search/bid_search.cpp": ("}\nreturn {};",),
        "env/rules/toml_reader.cpp": (
            'a text like "[[#"\nreturn {key, std::string(value)};',
            'a text like "[[#"\nreturn {key, std::string(value)};\n}',
        ),
    },
    "Needs a moment or a machine that a test has not: a full pipe, 1025 processors": {
        "agents/engine/engine_process.cpp": (
            "} else if (errno == EAGAIN) {",
            "wait_for(in_, POLLOUT, deadline);",
            "} else if (errno != EINTR) {\nfail_as_ended();",
            "} else if (errno != EINTR) {",
        ),
        "agents/work/threads.cpp": (
            "return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));",
        ),
        "agents/work/atomic_file.cpp": (
            "const bool is_gone =",
            "const int error = is_gone",
            "if (!is_gone) ::unlink(",
            "::close(file);",
            "errno = error;",
            "return false;",
        ),
    },
    "Tested with random rules, views and damage, which at quick scale do not lead there": {
        "agents/search/net_search.cpp": ("return std::nullopt;  // it claims the rest",),
        "agents/worlds/offers.cpp": ("if (offer.acceptor >= 0) return false;",),
        "agents/worlds/world_facts.cpp": (
            'refuse("view: cards are on their way between other seats (C.3)");',
            "if (pair && view_.declarer() == 0) surely(view_.partner(), given);",
        ),
        "agents/worlds/worlds.cpp": (
            "const CardSet only_other = other.cards - common;",
            "const auto limit = std::max(other.most",
            "if (!only_other.empty()) counters.push_back(",
            "counters[i].cards = common;",
            "counters[i].most = limit;",
            "facts.rules.erase(std::ranges::max_element(",
            "rule.readings.size(); }));\n}",
        ),
        "env/record/hidden_deals.cpp": ("return std::nullopt;",),
        "env/vector/vector_env_snapshot.cpp": (
            'return "the end of its deal";',
            'return "episode_learner_seat";',
        ),
    },
    "Stands ready for what rules may say later: today's give every refusal a ground of its own": {
        "env/game/refusal.cpp": (
            "const CardSet legal(legal_cards(state));",
            "return {Ground::kHouseRule",
        ),
    },
}
