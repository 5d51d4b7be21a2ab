import { pause as pauseDefault, type Pause } from '@probe-mesh/runtime/pause'
import { JetStreamApiError, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream'

/** The wanted settings of a stream; the server keeps its own for all other fields. */
export type Declared = Partial<StreamConfig> & { name: string }

const storeNotMade = 10_049
const alreadyThere = 10_058

/** Waits before the retries: on a busy machine an account takes seconds to start. */
const retryMs = [50, 100, 200, 400, 800, 1_600, 3_200]

/** Creates a stream or updates it to the declared settings; other settings stay as they are. */
export const ensureStream = async (
  jsm: JetStreamManager,
  declared: Declared,
  pause = pauseDefault,
): Promise<void> => {
  const info = await onceAwake(() => ifThere(jsm.streams.info(declared.name)), pause)
  if (info === null) return addStream(jsm, declared, pause)
  const known = new Map(Object.entries(info.config))
  const differs = Object.entries(declared).some(
    ([field, value]) => JSON.stringify(known.get(field)) !== JSON.stringify(value),
  )
  if (differs) await jsm.streams.update(declared.name, declared)
}

export const isStreamThere = async (
  jsm: JetStreamManager,
  name: string,
  pause = pauseDefault,
): Promise<boolean> => (await onceAwake(() => ifThere(jsm.streams.info(name)), pause)) !== null

const addStream = async (jsm: JetStreamManager, declared: Declared, pause: Pause): Promise<void> => {
  try {
    await onceAwake(() => jsm.streams.add(declared), pause)
  } catch (error) {
    // another control plane created it in the meantime, from the same declaration
    if (!isApiError(error, alreadyThere)) throw error
  }
}

/**
 * Retries while an account starts. On its first use the server enables JetStream for it, and creates and
 * removes its folder to check that it can write there (`EnableJetStream`). An earlier request gets no
 * response; a stream created in between has no folder, and the server only reports that it could not create
 * the store.
 */
const onceAwake = async <T>(ask: () => Promise<T>, pause: Pause): Promise<T> => {
  for (const ms of retryMs) {
    try {
      return await ask()
    } catch (error) {
      if (!isWaking(error)) throw error
      await pause(ms)
    }
  }
  return ask()
}

/** by name: the client does not export the class */
const isWaking = (error: unknown): boolean =>
  isApiError(error, storeNotMade) || (error instanceof Error && error.name === 'JetStreamNotEnabled')

const consumerNotFound = 10_014
const streamNotFound = 10_059

/** The result of a request about a stream or a consumer; null when it does not exist. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work
  } catch (error) {
    if (isApiError(error, streamNotFound) || isApiError(error, consumerNotFound)) return null
    throw error
  }
}

/** Whether the server answered with this error code. */
const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code
