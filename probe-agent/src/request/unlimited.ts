import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { Guard } from './guard.ts'

/** A guard without limits, for benches and tests against their own servers. */
export const unlimited: Pick<Guard, 'deny' | 'spend' | 'largeHead'> = {
  deny: denyNothing,
  spend: () => true,
  largeHead: () => ({ release: () => undefined }),
}
