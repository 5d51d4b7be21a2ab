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
  const areAllThere = async (place: StreamPlace): Promise<boolean> => {
    const names = new Set<string>()
    for await (const { name } of link.jsm.consumers.list(place.stream)) names.add(name)
    return streamConsumers(place).every(({ durable_name }) => names.has(durable_name ?? ''))
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
