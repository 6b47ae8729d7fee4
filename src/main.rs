//! bin
fn main(){
 let a: Vec<String> = std::env::args().collect();
 let b = perft::positions::by_name(&a[1]).unwrap();
 let t=std::time::Instant::now();
 let n=perft::perft::perft(&b, a[2].parse().unwrap()).unwrap();
 println!("{n} {:.1} Mnps", n as f64/t.elapsed().as_secs_f64()/1e6);
}
