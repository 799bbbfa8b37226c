/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/proof.c - applied, and compared.
 */
#include "admission/proof.h"

#include "value/equal.h"

bool fx_proof_try(const struct fx_patch *patch, json_t **root, const json_t *wanted,
                  struct fx_err *err) {
    if (!fx_patch_apply(patch, root, err)) {
        if (err->code != FX_ENOMEM) {
            err->code = FX_EINTERNAL;
            (void)fx_err_prefix(err, "our own patch does not apply: ");
        }
        return false;
    }
    return fx_equal(*root, wanted) ||
           fx_fail(err, FX_EINTERNAL, "our own patch does not give the result");
}
