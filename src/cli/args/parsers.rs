//! Values as people write them.

use std::num::NonZero;
use std::str::FromStr;
use std::time::Duration;

use perft_core::sys::pool::MAX_THREADS;

/// `NAME=VALUE`.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// Seconds, up to a year.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "write a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() && time <= YEAR => Ok(time),
        _ => Err("write a number of seconds above 0, a year at most".to_owned()),
    }
}

/// A number of 64 bits, hexadecimal after `0x`.
pub fn number_of_64_bits(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse().ok().filter(|_| !text.starts_with('+')),
    };
    number.ok_or_else(|| "write a number of 64 bits, as 0x0080001020400080".to_owned())
}

/// `1%` or `0.5%`, as a share.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    match number {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("write a percentage above 0%, 100% at most".to_owned()),
    }
}

/// A number of threads, up to [`MAX_THREADS`].
pub fn number_of_threads(text: &str) -> Result<NonZero<usize>, String> {
    let number = text.parse().ok().filter(|number: &NonZero<usize>| number.get() <= MAX_THREADS);
    number.ok_or_else(|| format!("write a number from 1 to {MAX_THREADS}"))
}

/// A number of nodes: `20000000`, `20,000,000`, `20M` or `2e7`.
pub fn number_of_nodes(text: &str) -> Result<u128, String> {
    let wrong = || "write a number of nodes, as 20000000, 20,000,000, 20M or 2e7".to_owned();
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let zeros: u32 = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 3,
        "M" => 6,
        "G" | "B" => 9,
        "T" => 12,
        power => power.strip_prefix('E').and_then(|zeros| zeros.parse().ok()).ok_or_else(wrong)?,
    };
    if digits.starts_with('+') {
        return Err(wrong());
    }
    let number: u128 = digits.replace([',', '_'], "").parse().map_err(|_| wrong())?;
    10_u128.checked_pow(zeros).and_then(|unit| number.checked_mul(unit)).ok_or_else(wrong)
}

/// A number of bytes: `512M`, `4G`, `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write it with a unit, as 512M or 1.5G, or 0 for none".to_owned();
        let upper = text.to_ascii_uppercase();
        let digits = upper.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let shift = match &upper[digits.len()..] {
            // Other programs mean megabytes by a bare number.
            "" if digits.trim_start_matches('0').is_empty() && !digits.is_empty() => 0,
            "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            _ => return Err(wrong()),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
            return Err(wrong());
        }
        let unit = 1_u64 << shift;
        // Nine digits and 40 bits: both factors are small enough for 128 bits.
        let parts: u128 = fraction.parse().map_err(|_| wrong())?;
        let part = (parts * u128::from(unit) / 10_u128.pow(fraction.len() as u32)) as u64;
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let bytes = whole.checked_mul(unit).and_then(|bytes| bytes.checked_add(part));
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_nodes_are_read_in_all_spellings() {
        for text in ["20000000", "20,000,000", "20_000_000", "20M", "20m", "20000k", "2e7", "2E7"] {
            assert_eq!(number_of_nodes(text), Ok(20_000_000), "{text}");
        }
        assert_eq!(number_of_nodes("0"), Ok(0));
        assert_eq!(number_of_nodes("10G"), number_of_nodes("10B"));
        assert_eq!(number_of_nodes(&u128::MAX.to_string()), Ok(u128::MAX));
        let too_large = format!("{}0", u128::MAX);
        for wrong in
            ["", "M", "e7", "2e", "-1", "+1", "1.5G", "20X", "2e39", "2e99999999999", &too_large]
        {
            assert!(number_of_nodes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read_with_units() {
        let read = |text: &str| text.parse::<Size>().ok().map(|size| size.0);
        assert_eq!(read("0"), Some(0));
        assert_eq!(read("4096B"), Some(4096));
        assert_eq!(read("512M"), Some(512 << 20));
        assert_eq!(read("4g"), Some(4 << 30));
        assert_eq!(read("64KiB"), Some(64 << 10));
        assert_eq!(read("1.5G"), Some(3 << 29));
        assert_eq!(read("0.25MiB"), Some(1 << 18));
        let too_large = "99999999999999999999";
        for wrong in [
            "",
            "16",
            "M",
            "-1",
            "1.5",
            ".5G",
            "1.G",
            "1.2.3G",
            "1,5G",
            "4X",
            too_large,
            "99999999T",
            "G4",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
