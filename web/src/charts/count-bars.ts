import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { html, type Html } from '@probe-mesh/runtime/html'

const step = 4
const height = 24

/**
 * One bar for each step of equal length, oldest first, above the axis. A step without events has no bar.
 * @param text the text alternative
 * @param nameOf names a step, shown with its count under the pointer
 */
export const countBars = (
  counts: readonly number[],
  { text, nameOf }: { text: string; nameOf: (index: number) => string },
): Html => {
  const most = Math.max(1, ...counts)
  const width = counts.length * step - 1
  return html`<svg
    class="count-bars"
    role="img"
    aria-label="${text}"
    viewBox="0 0 ${width} ${height + 1}"
    preserveAspectRatio="none"
  >
    <path class="ground" d="M0 ${height + 0.5}h${width}" />
    ${counts.map((count, index) => {
      if (count === 0) return null
      // the smallest count stays visible next to the largest
      const bar = Math.max(2, Math.round((count / most) * height))
      return html`<path d="M${index * step} ${height - bar}h3v${bar}h-3z">
        <title>${nameOf(index)}: ${inFigures(count)}</title>
      </path>`
    })}
  </svg>`
}

/** A share of a whole as a bar, next to its figure. @param share 0 to 1 */
export const shareBar = (share: number, tone: 'warned' | 'full' | null = null): Html =>
  html`<svg class="share-bar${tone === null ? '' : ` ${tone}`}" aria-hidden="true" width="100%" height="6">
    <rect class="ground" width="100%" height="6" rx="3" />
    ${share > 0 && html`<rect width="${Math.max(1, Math.round(Math.min(1, share) * 1000) / 10)}%" height="6" rx="3" />`}
  </svg>`
