// @ts-check
// A chart under the pointer, a finger or the arrow keys: time and values at the cursor, lines that can be
// hidden, and a drag that opens the page at the chosen time.

/**
 * @typedef {{ key: string, name: string, style: string, values: (number | null)[] }} Line
 * @typedef {{ from: number, to: number, step: number, zoom: string | null, unit?: string, lines: Line[],
 *   states: string[] }} Data
 */

const top = 8
const bottom = 192
/** A drag shorter than this is a click. */
const dragPixelsMin = 8

/**
 * The reader of each figure, so that a refreshed figure has only one.
 * @type {WeakMap<HTMLElement, { stop: AbortController, at: () => number | null, hidden: Set<string> }>}
 */
const readers = new WeakMap()

const language = document.documentElement.lang || 'en'
const clock = new Intl.DateTimeFormat(language, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** @param {string} name @param {Record<string, string | number>} attributes */
const svgElement = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** @param {number | null | undefined} value @param {string} unit */
const valueText = (value, unit) =>
  value === null || value === undefined ? 'no data' : `${value.toLocaleString(language)} ${unit}`.trim()

/**
 * Entries of the legend hide their line and show it again.
 * @param {HTMLElement} figure @param {SVGSVGElement} plot @param {Set<string>} hidden @param {() => void}
 * changed
 */
const liveLegend = (figure, plot, hidden, changed) => {
  for (const item of figure.querySelectorAll('.legend [data-line]')) {
    const key = item.getAttribute('data-line') ?? ''
    const button = document.createElement('button')
    const show = () => {
      const isHidden = hidden.has(key)
      button.setAttribute('aria-pressed', String(!isHidden))
      plot.querySelector(`.lines [data-line="${CSS.escape(key)}"]`)?.toggleAttribute('hidden', isHidden)
    }
    button.type = 'button'
    button.append(...item.childNodes)
    item.append(button)
    show()
    button.addEventListener('click', () => {
      if (!hidden.delete(key)) hidden.add(key)
      show()
      changed()
    })
  }
}

/** The cursor, the selection and the values at the cursor. @param {SVGSVGElement} plot @param {HTMLElement} body */
const addParts = (plot, body) => {
  // the labels of the axis use the last 24 pixels
  const end = plot.height.baseVal.value - 24
  const cursor = svgElement('line', { class: 'cursor', y1: top, y2: end, x1: 0, x2: 0 })
  const selection = svgElement('rect', { class: 'selection', y: top, height: bottom - top, x: 0, width: 0 })
  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  tip.setAttribute('role', 'status')
  for (const part of [cursor, selection, tip]) part.toggleAttribute('hidden', true)
  for (const part of [cursor, selection]) part.setAttribute('display', 'none')
  plot.append(selection, cursor)
  body.append(tip)
  body.tabIndex = 0
  return { cursor, selection, tip }
}

/** @param {Data} data @param {number} index @param {Set<string>} hiddenLines */
const tipContent = (data, index, hiddenLines) => {
  const time = document.createElement('p')
  time.textContent = clock.format(data.from + index * data.step)
  const list = document.createElement('dl')
  for (const line of data.lines) {
    if (hiddenLines.has(line.key)) continue
    const [name, value] = [document.createElement('dt'), document.createElement('dd')]
    name.textContent = line.name
    value.textContent = valueText(line.values[index], data.unit ?? 'ms')
    list.append(name, value)
  }
  const state = document.createElement('p')
  state.className = 'muted'
  state.textContent = data.states[index] ?? ''
  return [time, list, state]
}

/**
 * Places the values next to the cursor, within the body. @param {HTMLElement} tip @param {SVGSVGElement} plot
 * @param {HTMLElement} body @param {number} share
 */
const placeTip = (tip, plot, body, share) => {
  const plotBox = plot.getBoundingClientRect()
  const bodyBox = body.getBoundingClientRect()
  const x = plotBox.left - bodyBox.left + share * plotBox.width
  const width = tip.offsetWidth
  const left = x + 12 + width > bodyBox.width ? x - 12 - width : x + 12
  tip.style.left = `${Math.max(0, left)}px`
}

/**
 * The step that a key moves to; null hides the cursor, undefined is another key.
 * @param {string} key @param {number | null} at @param {number} steps @returns {number | null | undefined}
 */
const movedTo = (key, at, steps) => {
  const from = at ?? steps - 1
  /** @type {Record<string, number | null>} */
  const moves = {
    ArrowLeft: at === null ? from : from - 1,
    ArrowRight: at === null ? from : from + 1,
    PageUp: from - 12,
    PageDown: from + 12,
    Home: 0,
    End: steps - 1,
    Escape: null,
  }
  return moves[key]
}

/** @param {HTMLElement} figure */
export const start = (figure) => {
  if (figure.dataset['ready'] === figure.dataset['chart']) return
  figure.dataset['ready'] = figure.dataset['chart']
  const former = readers.get(figure)
  former?.stop.abort()
  const stop = new AbortController()
  const { signal } = stop
  /** @type {Data} */
  const data = JSON.parse(figure.dataset['chart'] ?? '{}')
  const body = figure.querySelector('.chart-body')
  const plot = figure.querySelector('.chart-plot')
  if (!(body instanceof HTMLElement) || !(plot instanceof SVGSVGElement)) return
  for (const old of figure.querySelectorAll('.cursor, .selection, .chart-tip')) old.remove()

  const { cursor, selection, tip } = addParts(plot, body)
  const steps = data.states.length
  /** @type {number | null} */
  let at = null
  const hiddenLines = former?.hidden ?? new Set()
  readers.set(figure, { stop, at: () => at, hidden: hiddenLines })

  /** @param {number} share @returns {number} */
  const indexAt = (share) =>
    Math.min(steps - 1, Math.max(0, Math.floor((share * (data.to - data.from)) / data.step)))

  /** @param {number | null} index */
  const show = (index) => {
    at = index
    const isShown = index !== null && steps > 0
    tip.hidden = !isShown
    cursor.setAttribute('display', isShown ? 'inline' : 'none')
    if (!isShown) return
    const middle = Math.min(1, ((index + 0.5) * data.step) / (data.to - data.from))
    for (const name of ['x1', 'x2']) cursor.setAttribute(name, `${middle * 100}%`)
    tip.replaceChildren(...tipContent(data, index, hiddenLines))
    placeTip(tip, plot, body, middle)
  }

  /** @param {PointerEvent} event */
  const shareOf = (event) => {
    const { left, width } = plot.getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - left) / width))
  }

  /** Where a drag began, 0 to 1. @type {number | null} */
  let dragFrom = null
  const endDrag = () => {
    dragFrom = null
    selection.setAttribute('display', 'none')
  }
  plot.addEventListener(
    'pointermove',
    (event) => {
      const share = shareOf(event)
      show(indexAt(share))
      if (dragFrom === null) return
      const [from, to] = [Math.min(dragFrom, share), Math.max(dragFrom, share)]
      selection.setAttribute('display', 'inline')
      selection.setAttribute('x', `${from * 100}%`)
      selection.setAttribute('width', `${(to - from) * 100}%`)
    },
    { signal },
  )
  plot.addEventListener(
    'pointerdown',
    (event) => {
      show(indexAt(shareOf(event)))
      if (data.zoom === null || event.pointerType === 'touch' || event.button !== 0) return
      event.preventDefault()
      body.focus()
      plot.setPointerCapture(event.pointerId)
      dragFrom = shareOf(event)
    },
    { signal },
  )
  plot.addEventListener(
    'pointerup',
    (event) => {
      if (dragFrom === null) return
      const shares = [dragFrom, shareOf(event)].toSorted((a, b) => a - b)
      const width = plot.getBoundingClientRect().width
      endDrag()
      const [from = 0, to = 0] = shares
      if ((to - from) * width < dragPixelsMin) return
      const span = data.to - data.from
      const [fromMs, toMs] = [Math.round(data.from + from * span), Math.round(data.from + to * span)]
      const url = `${data.zoom}?from=${fromMs}&to=${toMs}#history`
      document.dispatchEvent(new CustomEvent('visit', { detail: url }))
    },
    { signal },
  )
  plot.addEventListener('pointercancel', endDrag, { signal })
  plot.addEventListener(
    'pointerleave',
    ({ pointerType }) => {
      // lifting a finger leaves the chart, and its values stay shown
      if (pointerType === 'touch') return
      if (dragFrom === null && document.activeElement !== body) show(null)
    },
    { signal },
  )
  body.addEventListener('blur', () => show(null), { signal })
  body.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target !== body) return
      const to = movedTo(event.key, at, steps)
      if (to === undefined) return
      event.preventDefault()
      show(to === null ? null : Math.min(steps - 1, Math.max(0, to)))
    },
    { signal },
  )

  liveLegend(figure, plot, hiddenLines, () => show(at))
  const reading = former?.at() ?? null
  if (reading !== null) show(Math.min(steps - 1, reading))
}
