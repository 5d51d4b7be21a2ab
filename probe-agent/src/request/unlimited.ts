import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { Guard } from './guard.ts'

/** The part of a guard for benches and tests that ask servers of their own as often as they like. */
export const unlimited: Pick<Guard, 'deny' | 'spend' | 'largeHead'> = {
  deny: denyNothing,
  spend: () => true,
  largeHead: () => ({ release: () => undefined }),
}
