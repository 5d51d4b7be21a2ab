/** Of the map of the regions: what a mark says is its shape, and its words; its colour only helps. */
export const mapStyle = `
.map { display: block; width: 100%; min-width: 40rem; height: auto; margin: .5rem 0 }
.map .land { fill: none; stroke: var(--line); stroke-width: 4.4; stroke-linecap: round; stroke-dasharray: 0 6 }
.map .lead-line { stroke: var(--edge) }
.map .label { font-size: 12px; fill: var(--text); stroke: var(--ground); stroke-width: 4; stroke-linejoin: round; paint-order: stroke }
.map .name { font-weight: 700 }
.mark { stroke: var(--ground); stroke-width: 1.5 }
.mark.good { fill: var(--good-mark) }
.mark.bad { fill: var(--bad-mark) }
.mark.silent { fill: var(--ground); stroke: var(--silent-mark); stroke-width: 2; stroke-dasharray: 2 2 }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; margin: .25rem 0 1rem }
.key svg { width: 1.125rem; height: 1.125rem; vertical-align: -.1875rem; margin-right: .375rem }
@media print { .map .land { stroke: #bbb } .mark { fill: #000 } .mark.silent { fill: #fff } }
`
