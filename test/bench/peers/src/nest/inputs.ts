import { Type } from 'class-transformer'
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator'

export class WindowQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  take = 10

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  skip = 0
}

export class ShipmentQuery extends WindowQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  status?: number

  @IsOptional()
  @IsUUID()
  departurePortId?: string

  @IsOptional()
  @IsUUID()
  arrivalPortId?: string
}

export class NewAddress {
  @IsInt()
  @Min(0)
  @Max(14)
  role!: number

  @Length(1, 200)
  companyName!: string

  @IsOptional()
  @IsString()
  @MaxLength(100)
  city?: string

  @IsOptional()
  @Matches(/^[A-Z]{2}$/)
  countryCode?: string
}

export class NewShipment {
  @Length(1, 100)
  shipmentReference!: string

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2147483647)
  totalPackages?: number

  @IsOptional()
  @IsString()
  @MaxLength(500)
  cargoDescription?: string

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(30)
  @ValidateNested({ each: true })
  @Type(() => NewAddress)
  addresses?: NewAddress[]
}
