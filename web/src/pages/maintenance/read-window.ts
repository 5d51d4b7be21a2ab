import type {
  CreateMaintenanceInput,
  UpdateMaintenanceInput,
} from '@probe-mesh/contracts/maintenance/maintenance'
import type { z } from 'zod'
import type { Typed } from '../../html/components/form.ts'
import { orNull } from '../typed.ts'
import { instantOf, typedOfInstant, zoneOr } from '../../html/local-time.ts'

type Sent = z.input<typeof CreateMaintenanceInput>

/** The request of a submitted form, without empty fields. The API validates it. */
export const readWindow = (
  typed: Typed,
  { statusPageId, componentIds }: { statusPageId: string; componentIds: readonly string[] },
): Sent => {
  const zone = zoneOr(typed['zone'])
  const startsAt = orNull(typed['startsAt'])
  const endsAt = orNull(typed['endsAt'])
  const minutes = orNull(typed['durationMinutes'])?.trim() ?? null
  return {
    statusPageId,
    title: typed['title'] ?? '',
    body: typed['body'] ?? '',
    ...(startsAt === null ? {} : { startsAt: instantOf(startsAt, zone) }),
    ...(endsAt === null ? {} : { endsAt: instantOf(endsAt, zone) }),
    ...(minutes === null ? {} : { durationMinutes: numberOf(minutes) }),
    ...(componentIds.length === 0 ? {} : { componentIds: [...componentIds] }),
  }
}

/**
 * The request of a form for an existing window: a duration replaces the previous end, and no ticked component
 * means the whole page.
 */
export const readChange = (
  typed: Typed,
  asked: { endsAt: string; componentIds: readonly string[] },
): z.input<typeof UpdateMaintenanceInput> => {
  const { statusPageId: _page, ...read } = readWindow(typed, { ...asked, statusPageId: '' })
  const { endsAt, ...others } = read
  const isUntouched = typed['endsAt'] === typedOfInstant(Date.parse(asked.endsAt), zoneOr(typed['zone']))
  const end = endsAt === undefined || (isUntouched && read.durationMinutes !== undefined) ? {} : { endsAt }
  return { ...others, ...end, componentIds: [...asked.componentIds] }
}

/** An invalid number is sent as text: JSON has no NaN, and the API reports the problem. */
const numberOf = (text: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : (text as unknown as number)
