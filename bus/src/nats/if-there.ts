import { JetStreamApiError } from '@nats-io/jetstream'

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
export const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code
