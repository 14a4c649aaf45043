import { expect, test } from 'vitest'
import { type RequestStep, requestSteps, stepsAt } from './request-steps.js'

test.each(requestSteps.map((step: RequestStep) => [`${step.place}: ${step.name}`, step.madeBy] as const))(
  '%s is made by what the list says',
  async (_step, [file, exported]) => {
    const path = new URL(`../${file}`, import.meta.url).href
    const module = (await import(/* @vite-ignore */ path)) as object
    expect(module).toHaveProperty(exported)
  },
)

test('no place has two steps of one name', () => {
  for (const place of ['request', 'route', 'operation'] as const)
    expect(new Set(stepsAt(place)).size).toBe(stepsAt(place).length)
})
