import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { unsafeTargets } from '../targets/unsafe-targets.ts'
import { unsoundSettings } from '../targets/unsound-settings.ts'
import { refuseUnsafe } from '../targets/refuse-unsafe.ts'

/**
 * What a check of any type would hold, refused before anything is saved: settings that cannot mean
 * anything SV-2001, then unsafe targets SV-5001, each with every problem.
 */
export const refuseConfig = (
  config: CheckConfig,
  { targetAllow }: { targetAllow: AllowList },
): Refusal | null => {
  const unsound = unsoundSettings(config)
  if (unsound.length > 0) return refuse('SV-2001', { errors: unsound })
  return refuseUnsafe(unsafeTargets(config, { allow: targetAllow }))
}
