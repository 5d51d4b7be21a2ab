import { CheckSort } from '@probe-mesh/contracts/check/check-row'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { z } from 'zod'
import { createCursor } from '../../accounts/operations/page-of.ts'

const Finite = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER)

/** The last check of a page by the sort of the list: its rank or time (0 for neither), its name, and its id. */
const positions = createCursor(z.tuple([CheckSort, Finite, z.string().max(limits.nameCharactersMax), Uuid]))

export type ListPosition = { sort: CheckSort; key: number; name: string; id: string }

/** A position as opaque text. */
export const formatCursor = ({ sort, key, name, id }: ListPosition): string =>
  positions.format([sort, key, name, id])

/** @returns undefined if it is no cursor of a list with this sort */
export const parseCursor = (text: string, sort: CheckSort): ListPosition | undefined => {
  const position = positions.parse(text)
  if (position === null || position[0] !== sort) return undefined
  const [, key, name, id] = position
  return { sort, key, name, id }
}
