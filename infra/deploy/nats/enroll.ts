import { agentToken, leafToken } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile } from '@probe-mesh/bus/nats/credentials'
import { createSeed, publicKeyOfSeed } from '@probe-mesh/bus/nats/seeds'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { createWhole, keepKeyring, replaceFile } from './keyring.ts'
import { isValid, leafName, readRegister, writeRegister, type Enrolment } from './register.ts'

const dayMs = 86_400_000

export type EnrolmentInput = {
  region: Region
  name: string
  /** How long the credentials are valid. */
  days: number
  out: string
  /** Whether the agent already has credentials, which stay valid. */
  isRotation: boolean
}

/**
 * Issues credentials for an agent of a region, or for its leaf node. Signing needs no server: the
 * credentials work at once. The register is written first, so an interrupted enrolment can be revoked.
 * @throws RangeError for a wrong region, name or file
 */
export const enroll = async (
  folder: string,
  { region, name, days, out, isRotation }: EnrolmentInput,
  nowMs: number,
): Promise<Enrolment> => {
  const register = await readRegister(folder)
  if (!register.regions.includes(region)) {
    const known = register.regions.join(', ')
    throw new RangeError(`${region} is not a region of ${folder}: ${known || 'run nats-config first'}`)
  }
  const same = register.agents.filter((agent) => agent.name === name && isValid(agent, nowMs))
  if (isRotation && same.length === 0)
    throw new RangeError(`there is no agent ${name}; "agent list" shows the names`)
  if (isRotation && same.some((agent) => agent.region !== region)) {
    throw new RangeError(`${name} is an agent of ${same[0]?.region}`)
  }
  if (!isRotation && same.length > 0) {
    throw new RangeError(`the agent ${name} exists: rotate it, or revoke it first`)
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
    throw new RangeError(`${out} exists and was not changed`)
  }
  return enrolment
}
