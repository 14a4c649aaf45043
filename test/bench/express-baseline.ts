import { readFileSync } from 'node:fs'
import express from 'express'

/**
 * A stock Express 4 application: a handler of each size, as anybody would write it, in the middle of as many others as the benchmark's host
 * has. Sends the bytes of the file named on the command line.
 */
const bytes = readFileSync(process.argv[3] as string)
const app = express()
addOthers(150)
app.get('/bytes', (_request, response) => {
  response.type('json').send(bytes)
})
app.get('/echo', (_request, response) => {
  response.json({ text: 'Hello from Keel', number: 42 })
})
addOthers(150)
app.listen(Number(process.argv[2]), () => process.stdout.write('listening\n'))

function addOthers(count: number): void {
  for (let number = 0; number < count; number++)
    app.get(`/api/bench/other-${count}/thing-${number}`, (_request, response) => {
      response.json({ text: 'Another', number })
    })
}
