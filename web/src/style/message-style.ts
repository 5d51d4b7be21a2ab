export const messageStyle = `
.delivery { border-top: 1px solid var(--line); padding: .5rem 0 1rem }
.message { white-space: pre-wrap; overflow-wrap: anywhere }
`
