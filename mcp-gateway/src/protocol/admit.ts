import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { problemOf } from '../tools/call-tool.ts'
import type { Refused } from '../tools/call-tool.ts'
import { ControlPlaneAway } from '../upstream/control-plane.ts'
import type { Caller, ControlPlane } from '../upstream/control-plane.ts'
import type { KnownKeys } from '../upstream/known-keys.ts'
import { refusedOf } from './json-rpc.ts'

/**
 * Whether a caller may go on with what calls no route: a key must be known, and without one a
 * request of the address is spent. @returns null, or why not
 */
export const admit = async (
  { controlPlane, knownKeys }: { controlPlane: Pick<ControlPlane, 'admit'>; knownKeys: KnownKeys },
  caller: Caller,
): Promise<Refused | null> => {
  const { authorization } = caller
  if (authorization !== null && knownKeys.knows(authorization)) return null
  try {
    const { status, body, retryAfterSeconds } = await controlPlane.admit(caller)
    if (status >= 300) {
      const problem = problemOf(body, status)
      return { ...problem, problem, retryAfterSeconds }
    }
  } catch (error) {
    if (error instanceof ControlPlaneAway) return refusedOf(refuse('SV-9002'))
    throw error
  }
  if (authorization !== null) knownKeys.note(authorization)
  return null
}
