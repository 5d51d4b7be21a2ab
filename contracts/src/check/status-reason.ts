import type { CheckDetail } from './check.ts'

/** What a status reason that tells the share itself begins with. */
export const comesAndGoesWords = 'comes and goes: '

/**
 * Why a check is not operational, with how many readings failed where its failures keep coming back and the reason
 * does not say so itself: of now it says what fails, and not that it was well in between.
 */
export const fullStatusReason = ({
  statusReason,
  intermittent,
}: Pick<CheckDetail, 'statusReason' | 'intermittent'>): string | null => {
  if (intermittent === undefined || statusReason?.startsWith(comesAndGoesWords)) return statusReason
  const { failed, of, since } = intermittent
  const share = `fails now and then: ${failed} of ${of} readings failed since ${since.slice(11, 16)} UTC`
  return statusReason === null ? share : `${statusReason}; ${share}`
}
