# SPDX-License-Identifier: Apache-2.0
# Points any CANN client of this shell at the software NPU: source set_env.sh
_softnpu_cann="$(cd "$(dirname "${BASH_SOURCE[0]:-${(%):-%x}}")" && pwd)"
export ASCEND_HOME_PATH="$_softnpu_cann"
export ASCEND_TOOLKIT_HOME="$_softnpu_cann"
export ASCEND_OPP_PATH="$_softnpu_cann/opp"
export LD_LIBRARY_PATH="$_softnpu_cann/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset _softnpu_cann
