import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { controlPlaneToken, operatorToken } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile } from '@probe-mesh/bus/nats/accounts/credentials-file'
import { createSeed } from '@probe-mesh/bus/nats/accounts/seeds'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { accountTokens } from './account-tokens.ts'
import type { NatsArguments } from './arguments.ts'
import { accountsConfiguration, serverConfiguration } from './configuration.ts'
import { createWhole, keepKeyring, replaceFile } from './keyring.ts'
import type { KeptFile } from './keyring.ts'
import { refreshLeaves } from './leaf.ts'
import { readRegister, writeRegister } from './register.ts'

export type Generated = {
  configuration: string
  accounts: string
  controlPlane: KeptFile
  /** The secrets by which others are let in. */
  keys: KeptFile[]
  /** Regions that were part of the mesh and are not asked for: nobody gets in by them any more. */
  closed: Region[]
}

/**
 * Writes the server's configuration, and each secret that is not there yet.
 * @throws Error where a file with the name of a secret holds none: it is never written over
 */
export const generateNatsConfiguration = async (wanted: NatsArguments): Promise<Generated> => {
  const { outDir, listen, storeDir, regions, tls, cluster, leafListen } = wanted
  const { seeds, files } = await keepKeyring(outDir, regions)
  const register = { ...(await readRegister(outDir)), regions }
  const controlPlane = await keepControlPlane(join(outDir, 'control-plane.creds'), (user) =>
    controlPlaneToken(seeds, user),
  )
  await writeRegister(outDir, register)
  const [configuration, accounts] = [join(outDir, 'nats-server.conf'), accountsFile(outDir)]
  await replaceFile(accounts, accountsConfiguration(await accountTokens(seeds, register)))
  await replaceFile(
    configuration,
    serverConfiguration({
      listen,
      storeDir,
      tls,
      cluster,
      leafListen,
      accountsDir: join(storeDir, 'accounts'),
      operatorToken: await operatorToken(seeds),
    }),
  )
  await refreshLeaves(outDir, seeds, register)
  const closed = [...seeds.regions.keys()].filter((region) => !regions.includes(region))
  return { configuration, accounts, controlPlane, keys: files, closed }
}

/** What a server is given of each account. */
export const accountsFile = (folder: string): string => join(folder, 'accounts.conf')

const keepControlPlane = async (
  path: string,
  tokenOf: (user: string) => Promise<string>,
): Promise<KeptFile> => {
  const user = createSeed('user')
  if (await createWhole(path, credentialsFile(await tokenOf(user), user))) {
    return { path, was: 'written' }
  }
  await readNatsCredentials(path)
  if (!(await readFile(path, 'utf8')).includes('JWT')) {
    throw new Error(`${path} is there and holds no NATS credentials`)
  }
  return { path, was: 'kept' }
}
