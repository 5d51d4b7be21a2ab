import type { RegionLedger } from '@probe-mesh/contracts/mesh/mesh'
import { html, type Html } from '@probe-mesh/runtime/html'
import { percent } from '../../html/measures.ts'

/** The share of due slots that are accounted for, as a bar and a number: what could not be measured is not missing. */
export const shareBar = ({
  region,
  due,
  missing,
}: Pick<RegionLedger, 'region' | 'due' | 'missing'>): Html => {
  const share = due === 0 ? 1 : Math.max(0, due - missing) / due
  return html`<progress
      class="share"
      max="1"
      value="${share.toFixed(4)}"
      aria-label="Share of due probes in ${region}"
    ></progress>
    ${percent(share)}`
}
