export const liveStyle = `
.sparkline { display: block; fill: none; stroke: var(--link); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
.sparkline .lapse { stroke: var(--bad-mark); stroke-width: 3; stroke-linecap: butt }
`
