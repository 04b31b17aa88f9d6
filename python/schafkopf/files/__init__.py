"""Files that a command reads, and those that it writes: checked before the work, then written whole
or not at all."""

from schafkopf.files.inputs import (
    as_argument,
    check_input,
    check_own,
    check_rights,
    check_twice_readable,
    check_working_folder,
    engine_path,
    engine_refuses,
    given_path,
    is_there,
    missing,
    path_text,
)
from schafkopf.files.json_text import parse_json
from schafkopf.files.locks import held, lock_now, opened_to_lock
from schafkopf.files.messages import named, naming, tell
from schafkopf.files.new_folder import begun_folder
from schafkopf.files.outputs import (
    check_folder,
    check_makeable,
    check_outputs,
    is_regular,
    make_folder,
    refuse_folders,
    refuse_link,
    refuse_name_of_folder,
)
from schafkopf.files.reading import (
    MAX_CONFIG_BYTES,
    opened_regular,
    own_text,
    read_all,
    read_config,
)
from schafkopf.files.rights import OWNER_ONLY, rights_of
from schafkopf.files.seals import SEAL, check_seal, sealed
from schafkopf.files.temporary import beside, is_leftover, locked_beside, remove_leftovers
from schafkopf.files.writing import make_room, put_new, write_bytes, write_text

__all__ = [
    "MAX_CONFIG_BYTES",
    "OWNER_ONLY",
    "SEAL",
    "as_argument",
    "begun_folder",
    "beside",
    "check_folder",
    "check_input",
    "check_makeable",
    "check_outputs",
    "check_own",
    "check_rights",
    "check_seal",
    "check_twice_readable",
    "check_working_folder",
    "engine_path",
    "engine_refuses",
    "given_path",
    "held",
    "is_leftover",
    "is_regular",
    "is_there",
    "lock_now",
    "locked_beside",
    "make_folder",
    "make_room",
    "missing",
    "named",
    "naming",
    "opened_regular",
    "opened_to_lock",
    "own_text",
    "parse_json",
    "path_text",
    "put_new",
    "read_all",
    "read_config",
    "refuse_folders",
    "refuse_link",
    "refuse_name_of_folder",
    "remove_leftovers",
    "rights_of",
    "sealed",
    "tell",
    "write_bytes",
    "write_text",
]
