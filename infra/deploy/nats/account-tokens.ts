import {
  closedAccountToken,
  meshAccountToken,
  regionAccountToken,
  systemAccountToken,
  type AccountToken,
  type MeshSeeds,
} from '@probe-mesh/bus/nats/accounts/accounts'
import { revocationsOf, type Register } from './register.ts'

/** The current tokens of all accounts, the servers' own first. */
export const accountTokens = async (
  seeds: MeshSeeds,
  { regions, agents }: Register,
): Promise<[AccountToken, ...AccountToken[]]> => {
  const ofRegions = [...seeds.regions.keys()].map((region) =>
    regions.includes(region)
      ? regionAccountToken(seeds, region, revocationsOf(agents, region))
      : closedAccountToken(seeds, region),
  )
  return [
    await systemAccountToken(seeds),
    await meshAccountToken(seeds, regions),
    ...(await Promise.all(ofRegions)),
  ]
}
