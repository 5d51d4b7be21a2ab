import { errorPools } from '@probe-mesh/contracts/error-tracking/error-pools'

/** Events that may be taken of the month's quota in a shorter time. */
export type EventShares = { minute: number; day: number }

const { minute, day, ofAddress } = errorPools.errorEvents.limits

/**
 * How much of a month's quota a project may take in a minute and in a day, so that a flood, its own or a stranger's,
 * does not spend the month at once. Pure.
 * @param quota events a month
 */
export const sharesOfProject = (quota: number): EventShares => ({
  minute: Math.max(minute.min, Math.ceil(quota * minute.ofMonth)),
  day: Math.max(day.min, Math.ceil(quota * day.ofMonth)),
})

/** The same of one address within a project: the key of a page is public. Pure. */
export const sharesOfAddress = (project: EventShares): EventShares => ({
  minute: Math.ceil(project.minute * ofAddress),
  day: Math.ceil(project.day * ofAddress),
})
