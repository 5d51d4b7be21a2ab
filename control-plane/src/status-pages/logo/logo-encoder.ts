import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { pagePools } from '@probe-mesh/contracts/status-page/page-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { encodeLogo, type EncodedLogo } from './encode-logo.ts'

/** Encodes uploaded logos, a few at a time. Accounts take turns. */
export type LogoEncoder = {
  /** @returns the logo, SV-2001 for an invalid file, or SV-9002 without a turn in time */
  encode(accountId: string, file: Uint8Array): Promise<EncodedLogo | Refusal>
}

const retryAfterSeconds = 5

/** @param capabilities.encode replaces the library in tests */
export const createLogoEncoder = ({
  pools,
  encode = encodeLogo,
}: {
  pools?: PoolMetrics
  encode?: typeof encodeLogo
}): LogoEncoder => {
  const { bounds, waitMsMax } = pagePools.logoImages
  const pool = createFairPool(bounds)
  pools?.watch('logoImages', pool)
  return {
    encode: async (accountId, file) => {
      const place = await pool.take(accountId, { waitMsMax })
      if (typeof place === 'string') return refuse('SV-9002', { retryAfterSeconds })
      try {
        const encoded = await encode(file)
        if (!('problem' in encoded)) return encoded
        return refuse('SV-2001', { errors: [{ path: 'image', message: encoded.problem }] })
      } finally {
        place.release()
      }
    },
  }
}
