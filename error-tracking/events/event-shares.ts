import { errorPools } from '../contracts/error-pools.ts'

/** The most events of a monthly quota in a minute and in a day. */
export type EventShares = { minute: number; day: number }

const { minute, day, ofAddress } = errorPools.errorEvents.limits

/**
 * The share of a project in a minute and in a day, so that a flood does not use up the quota of the month.
 * @param quota events a month
 */
export const sharesOfProject = (quota: number): EventShares => ({
  minute: Math.max(minute.min, Math.ceil(quota * minute.ofMonth)),
  day: Math.max(day.min, Math.ceil(quota * day.ofMonth)),
})

/** The share of one address within a project, because the key of a page is public. */
export const sharesOfAddress = (project: EventShares): EventShares => ({
  minute: Math.ceil(project.minute * ofAddress),
  day: Math.ceil(project.day * ofAddress),
})
