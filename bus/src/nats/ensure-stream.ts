import { setTimeout as wait } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream'

/** What a stream is to be; of the fields that are not named, whatever the server has. */
export type Declared = Partial<StreamConfig> & { name: string }

const storeNotMade = 10_049
const alreadyThere = 10_058

/** Waits before the tries after the first. */
const retryMs = [50, 100, 200, 400, 800]

/** What NATS holds is as declared, or is made so; other fields of a stream stay as they are. */
export const ensureStream = async (jsm: JetStreamManager, declared: Declared): Promise<void> => {
  const info = await onceAwake(() => ifThere(jsm.streams.info(declared.name)))
  if (info === null) return addStream(jsm, declared)
  const known = new Map(Object.entries(info.config))
  const differs = Object.entries(declared).some(
    ([field, value]) => JSON.stringify(known.get(field)) !== JSON.stringify(value),
  )
  if (differs) await jsm.streams.update(declared.name, declared)
}

export const isStreamThere = async (jsm: JetStreamManager, name: string): Promise<boolean> =>
  (await onceAwake(() => ifThere(jsm.streams.info(name)))) !== null

/** Removes those of the named consumers that are there. */
export const removeConsumers = async (
  jsm: JetStreamManager,
  stream: string,
  names: readonly string[],
): Promise<void> => {
  for (const name of names) await ifThere(jsm.consumers.delete(stream, name))
}

const addStream = async (jsm: JetStreamManager, declared: Declared): Promise<void> => {
  try {
    await onceAwake(() => jsm.streams.add(declared))
  } catch (error) {
    // Another control plane made it meanwhile, from the same declaration.
    if (!isApiError(error, alreadyThere)) throw error
  }
}

/**
 * Asks an account again that wakes. When it is first used, the server gives it JetStream, makes the
 * folder of its streams and removes it again, to see whether it may write there (`EnableJetStream`).
 * What falls before finds nobody; a first stream that falls in between has no folder, and the server
 * says only that it could not make its store.
 */
const onceAwake = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (const ms of retryMs) {
    try {
      return await ask()
    } catch (error) {
      if (!isWaking(error)) throw error
      await wait(ms)
    }
  }
  return ask()
}

/** By its name: the client does not export the class. */
const isWaking = (error: unknown): boolean =>
  isApiError(error, storeNotMade) ||
  (error instanceof Error && error.name === 'JetStreamNotEnabled')

const consumerNotFound = 10_014
const streamNotFound = 10_059

/** What is asked of a stream or a consumer; null for one that is not there. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work
  } catch (error) {
    if (isApiError(error, streamNotFound) || isApiError(error, consumerNotFound)) return null
    throw error
  }
}

/** Whether the server refused with this code. */
const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code
