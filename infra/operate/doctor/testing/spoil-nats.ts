import { randomUUID } from 'node:crypto'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openLink } from '@probe-mesh/bus/src/nats/link'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import { durableName } from '@probe-mesh/bus/src/nats/topology'
import { silentLogger } from '@probe-mesh/bus/logger'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { FaultyMesh } from './faulty-mesh.ts'

/** Removes a consumer, like a control plane of a version without it. */
export const removeConsumer = async ({ natsUrl, sound }: FaultyMesh): Promise<void> => {
  const { authenticator } = await readNatsCredentials(sound['NATS_CREDENTIALS'] ?? '')
  const link = await openLink({
    servers: [natsUrl],
    name: 'a control plane of another version',
    ...controlPlaneConnection,
    authenticator,
    log: silentLogger,
  })
  try {
    await link.jsm.consumers.delete('READINGS', durableName(0, 'ingest'))
  } finally {
    await link.close()
  }
}

const hourMs = 3_600_000

/** Publishes like an agent whose clock is wrongly an hour ahead. */
export const publishFromTheFuture = async (mesh: FaultyMesh): Promise<void> => {
  const region = 'fra'
  const { authenticator } = await readNatsCredentials(mesh.credentialsOf('fra-1'))
  const bus = await openNatsBus({
    servers: [mesh.natsUrl],
    name: 'an agent with a wrong clock',
    ...agentConnection(region),
    authenticator,
    log: silentLogger,
  })
  const atMs = Date.now() + hourMs
  const checkId = uuidv7(Date.now())
  const reading: Reading = {
    checkId,
    region,
    slot: atMs,
    kind: 'scheduled',
    number: 0,
    verdict: 'up',
    fault: 'none',
    cause: 'ok',
    reason: null,
    httpStatus: 200,
    latencyMs: 1,
    timings: noTimings,
    measuredAt: atMs,
    attempts: 1,
    lateMs: 0,
    address: null,
    certificateExpiresAt: null,
  }
  const partition = partitionOf(checkId)
  const message = { version: 1, agent: 'fra-old', region, partition, batch: 1, readings: [reading] }
  try {
    const data = Buffer.from(JSON.stringify(message))
    await bus.readings.publish({ partition, region, messageId: randomUUID(), data })
  } finally {
    await bus.close()
  }
}
