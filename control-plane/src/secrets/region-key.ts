import { hkdfSync } from 'node:crypto'

/**
 * The key that seals the secrets of checks for the agents of one region of the mesh, which they have as REGION_KEY.
 * It opens nothing of another region.
 */
export const regionKeyOf = (secretsKey: string, region: string): string =>
  Buffer.from(hkdfSync('sha256', secretsKey, '', `region key ${region}`, 32)).toString('hex')
