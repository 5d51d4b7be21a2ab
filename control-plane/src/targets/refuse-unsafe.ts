import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { UnsafeTarget } from './unsafe-targets.ts'

/** SV-5001 with every unsafe target and the rule that the first breaks; no address is repeated. */
export const refuseUnsafe = (unsafe: readonly UnsafeTarget[]): Refusal | null => {
  const [first] = unsafe
  if (first === undefined) return null
  return refuse('SV-5001', {
    message: `Unsafe target (${first.rule}): ${first.message}.`,
    errors: unsafe.map(({ path, message }) => ({ path, message })),
  })
}
