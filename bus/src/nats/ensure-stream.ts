import { setTimeout as wait } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream'

/** What a stream is to be; of the fields that are not named, whatever the server has. */
export type Declared = Partial<StreamConfig> & { name: string }

const storeNotMade = 10_049
const consumerNotFound = 10_014
const alreadyThere = 10_058
const streamNotFound = 10_059

/** Waits before the tries after the first. */
const retryMs = [50, 100, 200, 400, 800]

/** What NATS holds is as declared, or is made so; other fields of a stream stay as they are. */
export const ensureStream = async (jsm: JetStreamManager, declared: Declared): Promise<void> => {
  try {
    const { config } = await jsm.streams.info(declared.name)
    const known = new Map(Object.entries(config))
    const differs = Object.entries(declared).some(
      ([field, value]) => JSON.stringify(known.get(field)) !== JSON.stringify(value),
    )
    if (differs) await jsm.streams.update(declared.name, declared)
  } catch (error) {
    if (!isApiError(error, streamNotFound)) throw error
    await addStream(jsm, declared)
  }
}

export const isStreamThere = (jsm: JetStreamManager, name: string): Promise<boolean> =>
  jsm.streams.info(name).then(
    () => true,
    (error: unknown) => {
      if (isApiError(error, streamNotFound)) return false
      throw error
    },
  )

/** Asks again where an account has no JetStream yet, which is so for a moment when it is first used. */
export const onceAwake = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (const ms of retryMs) {
    try {
      return await ask()
    } catch (error) {
      if (!isNotEnabled(error)) throw error
      await wait(ms)
    }
  }
  return ask()
}

/** Removes those of the named consumers that are there. */
export const removeConsumers = async (
  jsm: JetStreamManager,
  stream: string,
  names: readonly string[],
): Promise<void> => {
  for (const name of names) {
    await jsm.consumers.delete(stream, name).catch((error: unknown) => {
      if (!isApiError(error, consumerNotFound)) throw error
    })
  }
}

/**
 * When an account is first used, the server makes the folder of its streams and removes it again,
 * to see whether it may write there (`EnableJetStream`). A first stream that falls in between has
 * no folder, and the server says only that it could not make its store.
 */
const addStream = async (jsm: JetStreamManager, declared: Declared): Promise<void> => {
  for (const ms of [...retryMs, null]) {
    try {
      await jsm.streams.add(declared)
      return
    } catch (error) {
      // Another control plane made it meanwhile, from the same declaration.
      if (isApiError(error, alreadyThere)) return
      if (ms === null || !isApiError(error, storeNotMade)) throw error
      await wait(ms)
    }
  }
}

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code

/** The client does not export the class. */
const isNotEnabled = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'
