import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'

/** A field with an unsafe target. The message names the rule and repeats no address. */
export type UnsafeTarget = { path: string; rule: string; message: string }

/**
 * SV-5001 with every unsafe target and the rule that the first one breaks; the message repeats no address.
 */
export const refuseUnsafe = (unsafe: readonly UnsafeTarget[]): Refusal | null => {
  const [first] = unsafe
  if (first === undefined) return null
  return refuse('SV-5001', {
    message: `Unsafe target (${first.rule}): ${first.message}.`,
    errors: unsafe.map(({ path, message }) => ({ path, message })),
  })
}
