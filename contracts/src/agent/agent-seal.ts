import { hkdfSync } from 'node:crypto'
import { createSealer, type Sealer } from '@probe-mesh/runtime/sealer'
import { SealedSecrets } from '../secret/secret.ts'

/** The shortest key of a region. */
export const regionKeyCharactersMin = 32

const purpose = 'check secrets'

/** The owner of sealed secrets: they open for one check in one region. */
type Owner = { checkId: string; region: string }

/**
 * Seals and opens the secrets of checks for the agents of one region.
 * @param regionKey shared by the control plane and the agents of the region alone
 */
export const createSecretSealer = (
  regionKey: string,
): {
  seal(secrets: SealedSecrets, owner: Owner): string
  open(sealed: string, owner: Owner): SealedSecrets
} => {
  const sealer: Sealer = createSealer(regionKey, purpose)
  return {
    seal: (secrets, { checkId, region }) => sealer.seal(JSON.stringify(secrets), [checkId, region]),
    /** @throws SealBroken or ZodError, without the text */
    open: (sealed, { checkId, region }) =>
      SealedSecrets.parse(JSON.parse(sealer.open(sealed, [checkId, region]))),
  }
}

/** Shows whether two sides have the same key, and tells nothing of it. */
export const markOfRegionKey = (regionKey: string): string =>
  Buffer.from(hkdfSync('sha256', regionKey, '', 'region key mark', 8)).toString('hex')

/** The key of a private agent's region: both sides derive it from the agent's token. */
export const regionKeyOfToken = (token: string): string =>
  Buffer.from(hkdfSync('sha256', token, '', 'private agent secrets 1', 32)).toString('hex')
