import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import { ifThere } from './ensure-stream.ts'
import { openLink } from './link.ts'
import type { Link, LinkOptions } from './link.ts'

/** The id stands in the description of the stream of readings: every server keeps one, and old versions let it be. */
const prefix = 'Probe Mesh system '

export const systemDescription = (id: string): string => prefix + id

/** The streams on the server belong to another system. */
export class OtherSystem extends Error {
  override readonly name = 'OtherSystem'
}

/** The id of the system whose streams the server has; null where it has none, or they carry no id. */
export const readSystemOf = (link: Link): Promise<string | null> =>
  link.attempt(async () => {
    const info = await ifThere(link.jsm.streams.info(subjects.readingsStream))
    const { description = '' } = info?.config ?? {}
    return description.startsWith(prefix) ? description.slice(prefix.length) : null
  })

/** A server's version, and the system whose streams it has. */
export type NatsServerFacts = { version: string; system: string | null }

/** @throws BusUnavailable where no server answers */
export const readNatsServer = async (options: LinkOptions): Promise<NatsServerFacts> => {
  const link = await openLink(options)
  try {
    const version = link.nc.info?.version ?? 'unknown'
    return { version, system: await readSystemOf(link) }
  } finally {
    await link.close()
  }
}

/** @throws BusUnavailable where no server answers */
export const readNatsSystem = async (options: LinkOptions): Promise<string | null> =>
  (await readNatsServer(options)).system

/** Gives the streams that are there this id, whichever they carry. */
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
