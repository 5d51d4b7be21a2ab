import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { controlPlaneToken, operatorToken } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile, readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { createSeed } from '@probe-mesh/bus/nats/seeds'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { accountTokens } from './account-tokens.ts'
import type { NatsArguments } from './arguments.ts'
import { accountsConfiguration, serverConfiguration } from './configuration.ts'
import { createWhole, keepKeyring, replaceFile, type KeptFile } from './keyring.ts'
import { refreshLeaves } from './leaf.ts'
import { readRegister, writeRegister } from './register.ts'

export type Generated = {
  configuration: string
  accounts: string
  controlPlane: KeptFile
  /** The signing keys. */
  keys: KeptFile[]
  /** Former regions of the mesh, whose agents can no longer connect. */
  closed: Region[]
}

/**
 * Writes the server's configuration, and creates missing secrets.
 * @throws Error for a secret file with other content, which is never overwritten
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

/** The file with the server's accounts. */
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
    throw new Error(`${path} exists and is not a file of NATS credentials`)
  }
  return { path, was: 'kept' }
}
