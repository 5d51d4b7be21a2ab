import { CheckSort } from '@probe-mesh/contracts/check/check-row'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { z } from 'zod'

const Finite = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER)

/** The last check of a page by the sort of the list: its rank or time (0 for neither), its name, and its id. */
const Position = z.tuple([CheckSort, Finite, z.string().max(limits.nameCharactersMax), Uuid])

export type ListPosition = { sort: CheckSort; key: number; name: string; id: string }

/** A position as opaque text. */
export const formatCursor = ({ sort, key, name, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([sort, key, name, id])).toString('base64url')

/** @returns undefined if it is no cursor of a list with this sort */
export const parseCursor = (text: string, sort: CheckSort): ListPosition | undefined => {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  const parsed = Position.safeParse(value)
  if (!parsed.success || parsed.data[0] !== sort) return undefined
  const [, key, name, id] = parsed.data
  return { sort, key, name, id }
}
