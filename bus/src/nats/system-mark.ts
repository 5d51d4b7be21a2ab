import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import { ifThere } from './ensure-stream.ts'
import { openLink, type Link, type LinkOptions } from './link.ts'

/**
 * The id is in the description of the stream of readings: every server stores it, and old versions keep it.
 */
const prefix = 'Probe Mesh system '

export const systemDescription = (id: string): string => prefix + id

/** The streams on the server belong to another system. */
export class OtherSystem extends Error {
  override readonly name = 'OtherSystem'
}

/** The id of the system that owns the streams; null when there are none, or they have no id. */
export const readSystemOf = (link: Link): Promise<string | null> =>
  link.attempt(async () => {
    const info = await ifThere(link.jsm.streams.info(subjects.readingsStream))
    const { description = '' } = info?.config ?? {}
    return description.startsWith(prefix) ? description.slice(prefix.length) : null
  })

/** A server's version, and the system that owns its streams. */
export type NatsServerFacts = { version: string; system: string | null }

/** @throws BusUnavailable when no server answers */
export const readNatsServer = async (options: LinkOptions): Promise<NatsServerFacts> => {
  const link = await openLink(options)
  try {
    const version = link.nc.info?.version ?? 'unknown'
    return { version, system: await readSystemOf(link) }
  } finally {
    await link.close()
  }
}

/** @throws BusUnavailable when no server answers */
export const readNatsSystem = async (options: LinkOptions): Promise<string | null> =>
  (await readNatsServer(options)).system

/** Sets this id on the existing streams, whatever their id. */
export const acceptNatsSystem = async (options: LinkOptions, id: string): Promise<void> => {
  const link = await openLink(options)
  try {
    await link.attempt(async () => {
      const info = await ifThere(link.jsm.streams.info(subjects.readingsStream))
      if (info === null) return
      await link.jsm.streams.update(subjects.readingsStream, {
        description: systemDescription(id),
      })
    })
  } finally {
    await link.close()
  }
}
