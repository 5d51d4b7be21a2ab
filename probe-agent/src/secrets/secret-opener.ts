import { createSecretSealer } from '@probe-mesh/contracts/agent/agent-seal'
import type { SealedSecrets } from '@probe-mesh/contracts/secret/secret'

/** Opens the secrets of checks, which an agent receives and keeps on disk sealed. */
export type SecretOpener = {
  /** @throws when another key sealed them, or for another check or region */
  open(assignment: { checkId: string; region: string; sealed: string }): SealedSecrets
}

/**
 * @param keyOf the key of a region, read at each use, since the token of a private agent may be replaced
 */
export const createSecretOpener = (keyOf: (region: string) => string): SecretOpener => {
  const sealers = new Map<string, { key: string; open: SecretSealer['open'] }>()
  return {
    open: ({ sealed, ...owner }) => {
      const key = keyOf(owner.region)
      const known = sealers.get(owner.region)
      if (known?.key === key) return known.open(sealed, owner)
      const { open } = createSecretSealer(key)
      sealers.set(owner.region, { key, open })
      return open(sealed, owner)
    },
  }
}

type SecretSealer = ReturnType<typeof createSecretSealer>
