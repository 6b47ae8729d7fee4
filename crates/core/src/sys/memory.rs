//! Memory, and its limits.

use std::path::Path;
use std::{fs, io};

use memmap2::MmapMut;

/// Memory that is zero. The system provides it as it is used, in huge pages where it has them.
pub(crate) fn map(bytes: usize) -> io::Result<MmapMut> {
    let memory = MmapMut::map_anon(bytes)?;
    // Only advice: without huge pages it works as well, if slower. Miri cannot take it.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = memory.advise(memmap2::Advice::HugePage);
    Ok(memory)
}

/// Fetches the cache line at the start of a value ahead of its use.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address, and SSE is part of x86-64.
        // Gain: start 8 with a table of 1 GiB takes 4.9 s with it and 6.7 s without, on one thread,
        // alternating, best of four.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(perft_portable))))]
    let _ = value;
}

/// Memory that is free without swapping, within the limits of the process and of its
/// control groups. `None` where the system does not say.
#[must_use]
pub fn available_memory() -> Option<usize> {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let machine = free_on_machine(&read("/proc/meminfo"));
    let groups = left_to_groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    machine.into_iter().chain(groups).chain(free_address_space()).min()
}

/// Address space left under `ulimit -v`; `None` if it is not limited.
pub(crate) fn free_address_space() -> Option<usize> {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    left_to_process(&read("/proc/self/limits"), &read("/proc/self/status"))
}

fn left_to_process(limits: &str, status: &str) -> Option<usize> {
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: usize = limit.split_whitespace().next()?.parse().ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: usize = used.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(limit.saturating_sub(used.saturating_mul(1024)))
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn free_on_machine(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}

/// Memory left under the tightest limit of the control groups of the process and of their
/// ancestors, in either version.
fn left_to_groups(groups: &str, mount: &Path) -> Option<usize> {
    let left = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (top, limit, used, caches) = match controllers {
            "" => (
                mount.to_owned(),
                "memory.max",
                "memory.current",
                ["inactive_file ", "active_file "],
            ),
            _ if controllers.split(',').any(|name| name == "memory") => (
                mount.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                ["total_inactive_file ", "total_active_file "],
            ),
            _ => return None,
        };
        let left = Path::new(path).ancestors().filter_map(|group| {
            let dir = top.join(group.strip_prefix("/").ok()?);
            let read = |file| fs::read_to_string(dir.join(file)).ok();
            let number = |file| read(file)?.trim().parse::<usize>().ok();
            // Files that were read may be dropped from memory at any time.
            let stat = read("memory.stat").unwrap_or_default();
            let cached = stat.lines().filter_map(|line| {
                let bytes = caches.iter().find_map(|name| line.strip_prefix(name))?;
                bytes.trim().parse::<usize>().ok()
            });
            let used = number(used)?.saturating_sub(cached.fold(0, usize::saturating_add));
            Some(number(limit)?.saturating_sub(used))
        });
        left.min()
    });
    left.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read() {
        let text = "MemTotal:       24000000 kB\nMemFree: 5 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(free_on_machine(text), Some(20_000_000 * 1024));
        assert_eq!(free_on_machine(""), None);
        assert_eq!(free_on_machine("MemAvailable: many"), None);
    }

    #[test]
    fn the_limit_of_the_process_is_read() {
        let limits = |soft: &str| {
            format!("Max resident set  1  1  bytes\nMax address space  {soft}  unlimited  bytes\n")
        };
        let status = "Name: perft\nVmSize:\t    1000 kB\nVmRSS: 5 kB\n";
        assert_eq!(left_to_process(&limits("2048000"), status), Some(1_024_000));
        assert_eq!(left_to_process(&limits("1000"), status), Some(0));
        for (limits, status) in
            [(limits("unlimited"), status), (limits("5"), ""), (String::new(), status)]
        {
            assert_eq!(left_to_process(&limits, status), None);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no files")]
    fn the_strictest_group_counts() {
        let mount = std::env::temp_dir().join(format!("perft-groups-{}", std::process::id()));
        let group = |path: &str, files: &[(&str, &str)]| {
            let dir = mount.join(path);
            fs::create_dir_all(&dir).unwrap();
            for (name, text) in files {
                fs::write(dir.join(name), text).unwrap();
            }
        };
        group("job", &[("memory.max", "1000\n"), ("memory.current", "300\n")]);
        group("job/step", &[("memory.max", "max\n"), ("memory.current", "200\n")]);
        group("job/step/task", &[("memory.max", "900\n"), ("memory.current", "200\n")]);
        let files = "anon 1\ninactive_file 100\nactive_file 50\n";
        group("job/step/task", &[("memory.stat", files)]);
        group("memory/old", &[("memory.limit_in_bytes", "800"), ("memory.usage_in_bytes", "250")]);
        let left = |groups: &str| left_to_groups(groups, &mount);
        assert_eq!(left("0::/job\n"), Some(700));
        assert_eq!(left("0::/job/step\n"), Some(700), "its own group has no limit");
        assert_eq!(left("0::/job/step/task\n"), Some(700), "it has 850 left itself");
        assert_eq!(left("3:cpu:/old\n2:cpuset,memory:/old/inner\n0::/job\n"), Some(550));
        for none in ["", "0::/", "0::/elsewhere", "nonsense", "1:memory", "1:cpu:/old"] {
            assert_eq!(left(none), None, "{none}");
        }
        fs::remove_dir_all(&mount).unwrap();
    }
}
