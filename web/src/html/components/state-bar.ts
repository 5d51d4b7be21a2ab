import { html, type Html } from '@probe-mesh/runtime/html'
import type { Wording } from './tag.ts'

const width = 4
const height = 20
/** A state differs by height as well as by colour. */
const heights = { good: 14, uncertain: 17, bad: 20, silent: 2 } as const

type Tone = Wording['tone']

/**
 * A row of bars, one per slot, oldest first, each with the worst state of its slot. A slot without data is a
 * line at the bottom.
 * @param text the text alternative
 */
export const stateBar = (slots: readonly Tone[], text: string): Html => {
  const bars = (tone: Tone): string =>
    slots
      .flatMap((each, index) =>
        each === tone ? [`M${index * width} ${height - heights[tone]}h3v${heights[tone]}h-3z`] : [],
      )
      .join('')
  const tones = (Object.keys(heights) as Tone[]).filter((tone) => slots.includes(tone))
  return html`<svg
    class="state-bar"
    role="img"
    viewBox="0 0 ${slots.length * width - 1} ${height}"
    preserveAspectRatio="none"
  >
    <title>${text}</title>
    ${tones.map((tone) => html`<path class="${tone}" d="${bars(tone)}" />`)}
  </svg>`
}
