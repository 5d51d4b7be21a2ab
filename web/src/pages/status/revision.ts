import { hash } from 'node:crypto'
import type {
  PublicComponentHistory,
  PublicDay,
  PublicHistoryDocument,
  PublicIncidentDocument,
  PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'

/**
 * A hash of everything that a reader would notice: documents with one revision differ only in the times of
 * their data. States, regions, texts, incidents and days count exactly; shares count to a tenth of a percent,
 * and the seconds of the present day to a quarter of an hour.
 */
export const revisionOf = (
  document: PublicPageDocument | PublicHistoryDocument | PublicIncidentDocument,
): string => {
  const { asOf: _asOf, components, ...rest } = document
  const noticed = components.map((component) => ('days' in component ? componentOf(component) : component))
  return hash('sha256', JSON.stringify({ ...rest, components: noticed }), 'base64url').slice(0, 22)
}

const componentOf = ({ measuredAt, upShare, days, ...component }: PublicComponentHistory) => ({
  ...component,
  // while it is fresh, the exact time does not matter
  measuredAt: component.regionsRead.length > 0 ? 'fresh' : measuredAt,
  upShare: shareOf(upShare),
  days: days?.map((day, at) => (at === days.length - 1 ? todayOf(day) : day)) ?? null,
})

const todayOf = ({ upShare, measuredSeconds, unmeasuredSeconds, maintenanceSeconds, ...day }: PublicDay) => ({
  ...day,
  upShare: shareOf(upShare),
  isMostlyMeasured: measuredSeconds >= unmeasuredSeconds,
  unmeasured: Math.floor(unmeasuredSeconds / 900),
  maintenance: Math.floor(maintenanceSeconds / 900),
})

/** 100 % counts exactly, unlike other shares. */
const shareOf = (share: number | null): number | null =>
  share === null || share === 1 ? share : Math.floor(share * 1_000) / 1_000
