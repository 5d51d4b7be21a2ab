import { agentToken, leafToken } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile } from '@probe-mesh/bus/nats/accounts/credentials-file'
import { createSeed, publicKeyOfSeed } from '@probe-mesh/bus/nats/accounts/seeds'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { createWhole, keepKeyring, replaceFile } from './keyring.ts'
import { isGood, leafName, readRegister, writeRegister } from './register.ts'
import type { Enrolment } from './register.ts'

const dayMs = 86_400_000

export type EnrolmentInput = {
  region: Region
  name: string
  /** For how long the credentials are good. */
  days: number
  out: string
  /** Whether the agent has credentials already, and is given new ones beside them. */
  isRotation: boolean
}

/**
 * Issues credentials for one agent of a region, or for its leaf node, and notes them. Signing needs no server: whoever
 * holds them can connect at once. Where this is killed, what was written is in the register first,
 * so that it can be revoked.
 * @throws RangeError where the region, the name or the file is not as it must be
 */
export const enroll = async (
  folder: string,
  { region, name, days, out, isRotation }: EnrolmentInput,
  nowMs: number,
): Promise<Enrolment> => {
  const register = await readRegister(folder)
  if (!register.regions.includes(region)) {
    const known = register.regions.join(', ')
    throw new RangeError(`${region} is no region of ${folder}: ${known || 'run nats-config first'}`)
  }
  const same = register.agents.filter((agent) => agent.name === name && isGood(agent, nowMs))
  if (isRotation && same.length === 0) throw new RangeError(`no agent is called ${name}`)
  if (isRotation && same.some((agent) => agent.region !== region)) {
    throw new RangeError(`${name} is an agent of ${same[0]?.region}`)
  }
  if (!isRotation && same.length > 0) {
    throw new RangeError(`there is an agent ${name} already: rotate it, or revoke it first`)
  }
  const { seeds } = await keepKeyring(folder, register.regions)
  const user = createSeed('user')
  const expiresAtMs = nowMs + days * dayMs
  const tokenOf = name === leafName(region) ? leafToken : agentToken
  const file = credentialsFile(await tokenOf(seeds, { region, name, user, expiresAtMs }), user)
  const enrolment: Enrolment = {
    key: publicKeyOfSeed(user),
    name,
    region,
    issuedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    revokedAt: null,
  }
  await writeRegister(folder, { ...register, agents: [...register.agents, enrolment] })
  if (isRotation) await replaceFile(out, file)
  else if (!(await createWhole(out, file))) {
    await writeRegister(folder, register)
    throw new RangeError(`${out} is there already, and was left as it is`)
  }
  return enrolment
}
