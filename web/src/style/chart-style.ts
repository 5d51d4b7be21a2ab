/** Of drawings: what differs differs by place, dash, border or letters as well as by colour. */
export const chartStyle = `
.chart { display: block; width: 100%; min-width: 44rem; height: auto; max-width: 60rem; margin: .5rem 0 }
.chart text { font-size: 12px; fill: var(--text) }
.chart .axis line { stroke: var(--line) }
.chart .line { stroke-width: 2; fill: none; stroke-linejoin: round }
.chart .p50 { stroke: var(--link) }
.chart .p95 { stroke: var(--uncertain-mark); stroke-dasharray: 5 3 }
.chart circle.line { stroke-dasharray: none }
.chart circle.p50 { fill: var(--link) }
.chart circle.p95 { fill: var(--ground) }
.chart .band rect { fill: var(--bad); stroke: var(--bad-mark); stroke-dasharray: 2 2 }
.chart .band text { fill: var(--bad-text); font-weight: 600 }
.chart .maintenance rect { fill: var(--silent); stroke: var(--silent-mark); stroke-dasharray: 6 2; fill-opacity: .75 }
.chart .maintenance text { fill: var(--silent-text) }
.chart rect.up { fill: var(--good-mark) }
.chart rect.down { fill: var(--bad-mark) }
.chart rect.blocked { fill: var(--uncertain-mark) }
.chart rect.unmeasured { fill: var(--silent-mark) }
.chart rect.lost { fill: var(--ground); stroke: var(--text); stroke-dasharray: 2 2 }
.chart rect.no-data { fill: none; stroke: var(--silent-mark); stroke-dasharray: 1 3 }
.chart rect.dns { fill: var(--silent); stroke: var(--silent-mark) }
.chart rect.connect { fill: var(--uncertain); stroke: var(--uncertain-mark) }
.chart rect.tls { fill: var(--good); stroke: var(--good-mark) }
.chart rect.ttfb { fill: var(--action); stroke: var(--action) }
.chart rect.transfer { fill: var(--ground); stroke: var(--text) }
.chart text.ttfb { fill: var(--action-text) }
.chart text.dns { fill: var(--silent-text) }
.chart text.connect { fill: var(--uncertain-text) }
.chart text.tls { fill: var(--good-text) }
.chart .moment line { stroke: var(--text); stroke-width: 1; stroke-dasharray: 1 3 }
.chart .moment text { font-weight: 600 }
.chart .next { stroke: var(--link); stroke-width: 2; stroke-dasharray: 4 2 }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem }
details { margin: .5rem 0 }
summary { cursor: pointer; min-height: 1.5rem }
`
