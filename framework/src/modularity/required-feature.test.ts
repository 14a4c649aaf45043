import { expect, test } from 'vitest'
import { Replaces } from './injectable.js'
import { RequiresFeature, requiredFeatures } from './required-feature.js'

@RequiresFeature('Fleet')
class TruckService {
  @RequiresFeature('Fleet.Planning') async getPlan(): Promise<string> {
    return 'north'
  }
}

class HeavyTruckService extends TruckService {
  override async getPlan(): Promise<string> {
    return 'south'
  }
}

@Replaces(TruckService)
class ForeignTruckService {
  async getPlan(): Promise<string> {
    return 'west'
  }
}

@Replaces(TruckService)
@RequiresFeature('Fleet.Foreign')
class RenamedTruckService extends TruckService {
  @RequiresFeature('Fleet.Routes') override async getPlan(): Promise<string> {
    return 'east'
  }
}

test('a class that extends or replaces another needs the features of that, unless it names others', () => {
  expect(requiredFeatures(HeavyTruckService, 'getPlan')).toEqual(['Fleet', 'Fleet.Planning'])
  expect(requiredFeatures(ForeignTruckService, 'getPlan')).toEqual(['Fleet', 'Fleet.Planning'])
  expect(requiredFeatures(RenamedTruckService, 'getPlan')).toEqual(['Fleet.Foreign', 'Fleet.Routes'])
  expect(requiredFeatures(HeavyTruckService, 'getList')).toEqual(['Fleet'])
})
