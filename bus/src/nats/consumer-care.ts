import type { ConsumerCare } from '../port.ts'
import { removeConsumers } from './ensure-stream.ts'
import { ifThere } from './if-there.ts'
import type { Link } from './link.ts'
import {
  declareConsumers,
  errorsPlace,
  formerNames,
  readingsPlace,
  streamConsumers,
} from './topology.ts'
import type { StreamPlace } from './topology.ts'

const places: readonly StreamPlace[] = [readingsPlace, errorsPlace]

export const createConsumerCare = (link: Link): ConsumerCare => {
  /** By their number: the rights of a control plane do not let it list them. */
  const areAllThere = async (place: StreamPlace): Promise<boolean> => {
    const { state } = await link.jsm.streams.info(place.stream)
    return state.consumer_count >= streamConsumers(place).length
  }
  /** The first of a stream is removed last, and stands for all. */
  const isFormerThere = async (place: StreamPlace): Promise<boolean> => {
    const [first = ''] = formerNames(place)
    return (await ifThere(link.jsm.consumers.info(place.stream, first))) !== null
  }
  return {
    areOursThere: () =>
      link.attempt(async () => !(await Promise.all(places.map(areAllThere))).includes(false)),
    declareOurs: () =>
      link.attempt(async () => {
        for (const place of places) await declareConsumers(link.jsm, place)
      }),
    areFormerThere: () =>
      link.attempt(async () => (await Promise.all(places.map(isFormerThere))).includes(true)),
    removeFormer: () =>
      link.attempt(async () => {
        for (const place of places) {
          await removeConsumers(link.jsm, place.stream, formerNames(place).toReversed())
        }
      }),
  }
}
